"""A ball of 1 kg meets a plane at 1 m/s without gravity, just touching; law kelvin_voigt, RK4 at 10 us."""

from contactlib.validation import building

RADIUS, STIFFNESS = 0.1, 1e4  # m, N/m


def ball(ratio):
    normal = {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 2 * ratio * STIFFNESS**0.5}
    skin = building.shape("sphere", radius=RADIUS)
    bodies = [building.body("ball", "free", [skin], mass=1.0, inertia=[0.004] * 3,
                            state={"r": [0, 0, RADIUS - 1e-12], "v": [0, 0, -1]}), building.floor()]
    return building.scene(bodies, {"normal": normal}, [("ball", "floor")], step_size=1e-5, integrator="rk4")


def run(runner):
    results = {}
    for ratio in (0.1, 0.2, 0.5):
        names = ["ball.v[3]", "ball.r[3]", "ball.f[3]", "contact.energy_dissipated"]
        found = runner.run(ball(ratio), 0.06, 1e-3, names)
        results[f"restitution, {ratio} of critical damping"] = found["ball.v[3]"][-1]
        results[f"heat, {ratio} of critical damping"] = found["contact.energy_dissipated"][-1]
        if ratio == 0.2:
            results["depth"] = (found["time"], RADIUS - found["ball.r[3]"])
            results["force"] = (found["time"], found["ball.f[3]"])
    return results
