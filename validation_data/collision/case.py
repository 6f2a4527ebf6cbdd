"""A spinning capsule is thrown at a free box: momentum, spin and energy through the impact, by both integrators."""

import numpy as np

from contactlib.shapes.quaternion import rotation_matrix
from contactlib.validation import building

BRISTLE = {"kind": "bristle", "mu_static": 0.4, "mu_kinetic": 0.3, "tangential_stiffness": 1e5,
           "tangential_damping": 10.0}
ROD = {"mass": 2.0, "inertia": [0.02, 0.03, 0.01], "com": [0.01, -0.02, 0.03]}
BOX = {"mass": 5.0, "inertia": [0.1, 0.2, 0.15], "com": [0.0, 0.02, -0.01]}
VARIABLES = [f"{part}[{k}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for k in range(1, count + 1)]


def scene(integrator):
    tilt = 0.25
    bodies = [
        building.body("rod", "free", [building.shape("capsule", "a", radius=0.05, length=0.4)], **ROD, state={
            "r": [0.05, 0.02, 0.5], "q": [float(np.cos(tilt)), 0, float(np.sin(tilt)), 0], "v": [0.1, 0, -1],
            "w": [0.5, -1, 2]}),
        building.body("box", "free", [building.shape("box", "b", size=[0.6, 0.5, 0.4])], **BOX,
                      state={"w": [0.1, 0.2, -0.3]}),
    ]
    normal = {"kind": "hunt_crossley", "stiffness": 1e6, "exponent": 1.5, "damping": 0.3}
    return building.scene(bodies, {"normal": normal, "friction": BRISTLE}, [("rod", "box")], step_size=2e-5,
                          integrator=integrator)


def mechanics(states):
    """Momentum, spin about the world's origin, kinetic energy of (2, 13) states."""
    P, L, E = np.zeros(3), np.zeros(3), 0.0
    for s, body in zip(states, (ROD, BOX), strict=True):
        R = rotation_matrix(s[3:7] / np.linalg.norm(s[3:7]))
        arm = R @ np.array(body["com"])
        v, spin = s[7:10] + np.cross(s[10:], arm), R @ np.diag(body["inertia"]) @ R.T @ s[10:]
        P += body["mass"] * v
        L += np.cross(s[:3] + arm, body["mass"] * v) + spin
        E += 0.5 * body["mass"] * v @ v + 0.5 * s[10:] @ spin
    return P, L, E


def run(runner):
    results = {}
    for integrator in ("semi_implicit_euler", "rk4"):
        names = [f"{body}.{name}" for body in ("rod", "box") for name in VARIABLES]
        extra = ["contact.count", "contact.energy_dissipated", "contact.energy_error"]
        found = runner.run(scene(integrator), 0.5, 0.005, [*names, *extra])
        states = np.column_stack([found[name] for name in names]).reshape(-1, 2, 13)
        (P0, L0, E0), (P, L, E) = mechanics(states[0]), mechanics(states[-1])
        assert found["contact.count"].max() > 0 and found["contact.count"][-1] == 0, "they have not met and parted"
        results[f"momentum, {integrator}"] = float(np.abs(P - P0).max() / 2.0)
        results[f"spin, {integrator}"] = float(np.abs(L - L0).max() / 2.0)
        lost, error = found["contact.energy_dissipated"][-1], found["contact.energy_error"][-1]
        results[f"kinetic energy, heat and reported error, {integrator}"] = (E + lost - error) / E0
        results[f"reported energy error, {integrator}"] = error / E0
    return results
