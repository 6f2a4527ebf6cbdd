"""Small campaigns for the tests: a wheel that rolls at a rock, two bodies that meet in free flight."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from contactlib.campaign import Campaign
from contactlib.campaign.definition import Source, read_campaign
from contactlib.model.spec import SCENES

WHEEL = """
[campaign]
name = "wheel"
scene = "rover_wheel"
runs = 24
seed = 5
duration = 0.2

[draw.speed]
path = "body.wheel.state.v[1]"
distribution = "uniform"
low = 0.1
high = 1.2
unit = "m/s"

[draw.height]
path = "body.wheel.state.r[3]"
as = "offset"
distribution = "normal"
mean = 0.001
std = 5e-4

[draw.friction]
path = "law.wheel_soil.friction.mu_kinetic"
distribution = "uniform"
low = 0.1
high = 0.8

[draw.tilt]
path = "body.wheel.state.turn[3]"
distribution = "normal"
mean = 0.0
std = 0.05

[metric]
peak_force = { is = "max(norm(wheel.f))", unit = "N" }
end_speed = "final(norm(wheel.v))"
turned = "max(angle(wheel.q))"

[success]
soft = "peak_force < 150"
slower = "end_speed < 0.5 * speed + 0.3"
"""

#: a chaser drifts into a target, nothing held, no gravity
FLYERS = """
[scene]
name = "flyers"
step_size = 1e-3
duration = 0.6

[[body]]
name = "chaser"
mass = 12.0
inertia = [0.4, 0.5, 0.6]
state = { r = [-0.35, 0.0, 0.0], v = [0.3, 0.0, 0.0] }
[[body.shape]]
name = "nose"
kind = "sphere"
radius = 0.1
material = "steel"
[[body.shape]]
name = "tail"
kind = "box"
size = [0.1, 0.1, 0.1]
r = [-0.2, 0.0, 0.0]
material = "steel"

[[body]]
name = "target"
[[body.shape]]
name = "hull"
kind = "capsule"
radius = 0.1
length = 0.4
density = 400.0
material = "steel"

[[law]]
name = "steel_steel"
materials = ["steel", "steel"]
normal = { kind = "hunt_crossley", stiffness = 1e5, exponent = 1.5, damping = 0.3 }

[[pair]]
bodies = ["chaser", "target"]
"""

DOCKING = """
[campaign]
name = "docking"
scene = "flyers.toml"
runs = 12
seed = 1
sampling = "sobol"

[draw.mass]
path = ["body.chaser.mass", "body.chaser.inertia"]
as = "factor"
distribution = "lognormal"
median = 1.0
sigma = 0.2

[draw.girth]
path = "body.target.shape.hull.radius"
distribution = "uniform"
low = 0.08
high = 0.12

[draw.density]
path = "body.target.shape.hull.density"
distribution = "choice"
options = [300, 400.0, 900]
weights = [1, 2, 1]

[draw.gravity]
path = "scene.gravity[3]"
distribution = "constant"
value = 0.01

[metric]
depth = { is = "max(contact.max_depth)", unit = "m" }
pushed = "final(norm(target.v))"
heat = "final(contact.energy_dissipated)"

[success]
gentle = "depth < 1e-3"
"""


def tables(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def wheel(**head: Any) -> Campaign:
    """The wheel's campaign with other keys of [campaign]."""
    values = tables(WHEEL)
    values["campaign"] |= head
    folder = SCENES / "rover_wheel"
    return read_campaign(Source(values, tables((folder / "scene.toml").read_text()), str(folder)))


def docking(**head: Any) -> Campaign:
    values = tables(DOCKING)
    values["campaign"] |= head
    return read_campaign(Source(values, tables(FLYERS), "."))


def written(folder: Path) -> Path:
    """Both as files; the path of the wheel's."""
    (folder / "flyers.toml").write_text(FLYERS)
    (folder / "docking.toml").write_text(DOCKING)
    (folder / "wheel.toml").write_text(WHEEL)
    return folder / "wheel.toml"
