"""A ball is drawn off a plane slowly, and another meets the plane at 0.1 m/s; law pull_off."""

from contactlib.validation import building

RADIUS, SPEED = 0.1, 1e-4  # m, m/s
LAW = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0},
       "adhesion": {"kind": "pull_off", "pull_off": 2.0, "adhesion_range": 1e-5}}


def run(runner):
    skin = building.shape("sphere", radius=RADIUS)
    ball = building.body("ball", "external", [skin], state={"r": [0, 0, RADIUS]})
    scene = building.scene([ball, building.floor()], LAW, [("ball", "floor")], step_size=1e-2)
    inputs = {"ball.r[3]": lambda t: RADIUS - SPEED * t, "ball.v[3]": -SPEED}
    found = runner.run(scene, 4.0, 1e-2, ["ball.f[3]"], inputs)
    thrown = building.body("ball", "free", [skin], mass=1.0, inertia=[0.004] * 3,
                           state={"r": [0, 0, RADIUS], "v": [0, 0, -0.1]})
    scene = building.scene([thrown, building.floor()], LAW, [("ball", "floor")], step_size=1e-5, integrator="rk4")
    out = runner.run(scene, 0.1, 0.1, ["ball.v[3]"])
    return {"force": (SPEED * found["time"], found["ball.f[3]"]), "largest tension": -found["ball.f[3]"].min(),
            "restitution without damping": out["ball.v[3]"][-1] / 0.1}
