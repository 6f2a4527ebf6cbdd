"""A heavy rope over a pin, and two loads on a light one: just below the limit of friction, and just above it."""

import math
from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation import building
from contactlib.validation.run import load_program

H = 1e-3  # s
HEAVY_SLID, LIGHT_SLID = 10.0, 1.0  # mm: within a second, and in the second half of the run


def tensions(rope, w, mu, h2):
    """Tensions T (N,) over the angles a (N,) on the pin at which the rope is at rest: friction is m T, with |m| <= mu.

    dT/da = m T + w R (cos a + m sin a) from w h1 to w h2. m is found by bisection.
    """
    a = np.linspace(0.0, math.pi, 4001)
    radius = rope["pin_radius"] + rope["radius"]

    def solve(m):
        rate = np.exp(-m * a) * (np.cos(a) + m * np.sin(a))
        part = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(a))])
        return np.exp(m * a) * w * (rope["light_side"] + radius * part)

    low, high = -1.5 * mu, 1.5 * mu
    for _ in range(60):
        m = 0.5 * (low + high)
        low, high = (m, high) if solve(m)[-1] < w * h2 else (low, m)
    return a, solve(m)


def draped(rope, EA, w, mu, h2):
    """Nodes (n + 1, 6) of the rope at rest, stretched by its tension, and its length without load."""
    a, T = tensions(rope, w, mu, h2)
    h1, radius = rope["light_side"], rope["pin_radius"] + rope["radius"]
    each = radius / (1 + T / EA)
    on_pin = np.concatenate([[0.0], np.cumsum(0.5 * (each[1:] + each[:-1]) * np.diff(a))])
    rows, length = [], h1 + on_pin[-1] + h2
    for s in np.linspace(0.0, length, rope["elements"] + 1):
        at, below = s - h1, s - h1 - on_pin[-1]
        if at < 0:
            rows.append([-radius, 0, at - w * (h1 * h1 - s * s) / (2 * EA), 0, 0, 1 + w * s / EA])
        elif below < 0:
            angle = np.interp(at, on_pin, a)
            stretch = 1 + np.interp(angle, a, T) / EA
            c, d = math.cos(angle), math.sin(angle)
            rows.append([-radius * c, 0, radius * d, stretch * d, 0, stretch * c])
        else:
            z = -below - w * (h2 * below - 0.5 * below * below) / EA
            rows.append([radius, 0, z, 0, 0, -1 - w * (h2 - below) / EA])
    return np.array(rows), length


def heavy(rope, mu, h2, duration):
    """Rise of the light end (mm) after each 0.1 s."""
    area = math.pi * rope["radius"] ** 2
    EA, w = rope["modulus"] * area, rope["density"] * area * rope["gravity"]
    nodes, length = draped(rope, EA, w, mu, h2)
    drum = building.shape("cylinder", "steel", radius=rope["pin_radius"], length=0.1, q=[0.5**0.5, 0.5**0.5, 0, 0])
    cables = {"name": "rope", "length": length, "free_ends": "both", "touches": ["pin"], "friction": mu,
              "first_points": [nodes[0, :3].tolist()], "last_points": [nodes[-1, :3].tolist()],
              "nodes": [nodes.tolist()], "max_touches": 512,
              "cable": {"radius": rope["radius"], "axial_stiffness": EA, "line_density": w / rope["gravity"],
                        "bending_stiffness": 0.25 * EA * rope["radius"] ** 2, "elements": rope["elements"],
                        "axial_damping": rope["damping"], "capsules": 1}}
    scene = building.scene([building.body("pin", "fixed", [drum])], elements={"cables": [cables]}, step_size=H,
                           gravity=[0, 0, -rope["gravity"]])
    simulation = contactlib.Simulation(scene.compile())
    found = []
    for _ in range(round(duration / 0.1)):
        simulation.run(duration=0.1, dt=H)
        found.append(1e3 * (simulation.cable_nodes("rope")[0][0, 2] - nodes[0, 2]))
    return np.array(found)


def wound(rope, phi):
    """Nodes (n + 1, 6) of a light rope that comes in straight, winds about z, and leaves straight; its length."""
    radius, side = rope["pin_radius"] + rope["radius"], rope["straight"]
    length = radius * phi + 2 * side
    a = (np.linspace(0, length, rope["elements"] + 1) - side) / radius
    on = np.clip(a, 0.0, phi)
    out, along = (np.column_stack([x, y, 0 * on]) for x, y in ((np.cos(on), np.sin(on)), (-np.sin(on), np.cos(on))))
    return np.column_stack([radius * (out + (a - on)[:, None] * along), along]), length


def two_loads(rope, mu, phi, part):
    """How far the larger load goes in the second half of the run, mm."""
    nodes, length = wound(rope, phi)
    seen = nodes - np.r_[nodes[0, :3], 0, 0, 0]
    drum = building.shape("cylinder", "steel", radius=rope["pin_radius"], length=1.0)
    ends = [building.body(name, "free", mass=rope["body_mass"], inertia=[0.01] * 3,
                          state={"r": nodes[k, :3].tolist()}) for name, k in (("small", 0), ("large", -1))]
    cables = {"name": "rope", "first_body": "small", "last_body": "large", "first_points": [[0, 0, 0]],
              "last_points": [[0, 0, 0]], "length": length, "nodes": [seen.tolist()], "touches": ["pin"],
              "friction": mu, "max_touches": 256,
              "cable": {"radius": rope["radius"], "axial_stiffness": rope["axial_stiffness"],
                        "bending_stiffness": rope["bending_stiffness"], "line_density": rope["line_density"],
                        "axial_damping": rope["damping"], "bending_damping": rope["damping"],
                        "elements": rope["elements"], "capsules": 1}}
    scene = building.scene([building.body("pin", "fixed", [drum]), *ends], elements={"cables": [cables]}, step_size=H)
    simulation = contactlib.Simulation(scene.compile())
    simulation.apply("small", -rope["load"] * nodes[0, 3:])
    simulation.apply("large", part * math.exp(mu * phi) * rope["load"] * nodes[-1, 3:])
    simulation.run(duration=0.5 * rope["duration"], dt=H)
    before = simulation.states[2, :3].copy()
    simulation.run(duration=0.5 * rope["duration"], dt=H)
    return 1e3 * float((simulation.states[2, :3] - before) @ nodes[-1, 3:])


def run(runner):
    brute, found = load_program(Path(__file__).parent / "reference.py"), {}
    rope = brute.ROPES["heavy"]
    for row in rope["run"]:
        name, limit = f"heavy rope, mu {row['mu']:g}", brute.longest_side(row["mu"])
        rise = heavy(rope, row["mu"], row["holds"] * limit, rope["duration"])
        found[f"{name}: creep at {row['holds']:g} of the limit"] = float(np.ptp(rise[len(rise) // 2:]))
        rise = heavy(rope, row["mu"], row["slides"] * limit, 0.5 * rope["duration"])
        found[f"{name}: slides at {row['slides']:g}"] = float(rise.max() > HEAVY_SLID)
    rope = brute.ROPES["light"]
    for mu in rope["mu"]:
        for angle in rope["angles"]:
            name, phi = f"two loads, mu {mu:g}, {angle} deg", math.radians(angle)
            found[f"{name}: creep at {rope['holds']:g} of the limit"] = two_loads(rope, mu, phi, rope["holds"])
            slid = two_loads(rope, mu, phi, rope["slides"])
            found[f"{name}: slides at {rope['slides']:g}"] = float(slid > LIGHT_SLID)
    return found
