"""Draws the pictures of docs/concepts.md and docs/first_scene.md in docs/images, from runs of contactlib.

    python docs/draw_concepts.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle

import contactlib
from contactlib.fmu.package.picture import scene_picture
from contactlib.simulation.rigid_body import balance

PAGES = Path(__file__).parent
IMAGES = PAGES / "images"
BLUE, ORANGE, GREEN, RED, INK, SOFT = "#1f6fb4", "#e07b39", "#3a9a6b", "#b3261e", "#22303c", "#6b7a88"
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.titleweight": "bold",
         "axes.titlesize": 10.5, "axes.titlelocation": "left", "axes.edgecolor": SOFT, "text.color": INK,
         "axes.labelcolor": INK, "xtick.color": SOFT, "ytick.color": SOFT, "figure.dpi": 120}


def first_scene() -> contactlib.Spec:
    """The scene of the page docs/first_scene.md."""
    page = (PAGES / "first_scene.md").read_text(encoding="utf-8")
    found = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return contactlib.Spec.from_dict(tomllib.loads(found[1]))


def save(figure: Any, name: str) -> None:
    figure.savefig(IMAGES / name, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


def friction_of_the_box() -> None:
    """The figure of the first scene: where the box slides for three coefficients of friction."""
    model = first_scene().compile()
    figure, axes = plt.subplots(figsize=(6.4, 3.4))
    for mu, colour in zip((0.1, 0.2, 0.4), (BLUE, ORANGE, GREEN), strict=True):
        simulation = contactlib.Simulation(model)
        simulation.set({"wood_steel.mu_static": mu, "wood_steel.mu_kinetic": mu})
        run = simulation.run(1.5, 1e-4)
        axes.plot(run.time, 1e3 * run.states[:, 0, 0], color=colour, label=f"mu = {mu}")
    axes.set(xlabel="time (s)", ylabel="x of the box (mm)")
    axes.legend(frameon=False)
    save(figure, "first_scene.png")


def shapes() -> None:
    """All kinds of shapes side by side, drawn as the FMU's page draws a scene."""
    cube = [[x, y, z] for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.3)]
    tetrahedron = {"vertices": [[0, 0, 0.6], [0.6, 0, -0.4], [-0.4, 0.5, -0.4], [-0.4, -0.5, -0.4]],
                   "triangles": [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]}
    kinds: list[dict[str, Any]] = [
        {"kind": "sphere", "radius": 0.45}, {"kind": "capsule", "radius": 0.28, "length": 0.5},
        {"kind": "ellipsoid", "semi_axes": [0.6, 0.35, 0.4]}, {"kind": "box", "size": [0.8, 0.6, 0.7]},
        {"kind": "cylinder", "radius": 0.35, "length": 0.8}, {"kind": "polyhedron", "corners": [*cube, [0, 0, 0.7]]},
        {"kind": "cone", "radius": 0.45, "length": 0.9},
        {"kind": "socket", "size": [0.8, 0.8, 0.8], "radius": 0.25, "length": 0.4}, {"kind": "mesh", **tetrahedron},
        {"kind": "triangle", "corners": [[-0.4, -0.4, 0], [0.5, -0.3, 0], [0, 0.5, 0.3]]},
        {"kind": "segment", "length": 0.9}, {"kind": "point"}]
    wide, high, cells = 150, 140, []
    for k, shape in enumerate(kinds):
        body = {"name": "b", "motion": "fixed", "shape": [{"name": "s", "material": "m", **shape}]}
        picture = scene_picture(contactlib.Spec.from_dict({"scene": {"name": "x"}, "body": [body]}).compile())
        x, y = wide * (k % 6), high * (k // 6)
        if shape["kind"] in ("segment", "point"):
            top, end = (y + 20, y + 98) if shape["kind"] == "segment" else (y + 60, y + 60)
            cells.append(f'<path d="M{x + 75},{top} L{x + 75},{end}" stroke="{BLUE}" stroke-linecap="round" '
                         f'stroke-width="{3 if shape["kind"] == "segment" else 9}"/>')
            picture = "<svg ></svg>"
        # the middle of the picture, without its legend, axes and scale
        cells.append(re.sub(r"<svg [^>]*>", f'<svg x="{x + 15}" y="{y + 8}" width="120" height="100" '
                            'viewBox="175 25 410 420">', picture))
        cells.append(f'<text x="{x + wide / 2:g}" y="{y + high - 14}" text-anchor="middle">{shape["kind"]}</text>')
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {6 * wide} {2 * high}" width="{6 * wide}" '
            f'height="{2 * high}" font-family="Helvetica, Arial, sans-serif" font-size="14" fill="{INK}">')
    background = f'<rect width="{6 * wide}" height="{2 * high}" fill="#ffffff"/>'
    (IMAGES / "concepts_shapes.svg").write_text("\n".join([head, background, *cells, "</svg>"]), encoding="utf-8")


def depth() -> None:
    """Two spheres that overlap, in section: contact point, normal and depth, from `contactlib.manifolds`."""
    large, small, where = 1.0, 0.6, np.array([0.55, 1.15])
    poses = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [where[0], 0.0, where[1], 1.0, 0.0, 0.0, 0.0]])
    found = contactlib.manifolds(contactlib.Sphere(large), contactlib.Sphere(small), poses[:1], poses[1:])
    point, normal, deep = found.point[0, 0, [0, 2]], found.normal[0, 0, [0, 2]], found.depth[0, 0]
    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    axes.add_patch(Circle((0.0, 0.0), large, fc="#dbe3ea", ec=SOFT, lw=1.5))
    axes.add_patch(Circle(tuple(where), small, fc="#d8e9f7", ec=BLUE, lw=1.5, alpha=0.8))
    for end, text, colour in ((0.85, "force on B", RED), (-0.85, "force on A", RED)):
        _arrow(axes, point, point + end * normal, colour)
        axes.annotate(text, point + 1.02 * end * normal, color=colour, ha="left", va="center", xytext=(8, 0),
                      textcoords="offset points")
    side = np.array([normal[1], -normal[0]])
    for sign in (-0.5, 0.5):
        level = point + sign * deep * normal
        axes.plot(*zip(level - 0.15 * side, level + 0.9 * side, strict=True), color=INK, lw=0.8, ls=(0, (4, 3)))
    middle = point + 0.95 * side
    ends = {"arrowstyle": "<|-|>", "color": INK, "lw": 0.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    axes.annotate("", point + 0.75 * side + deep / 2 * normal, point + 0.75 * side - deep / 2 * normal, arrowprops=ends)
    axes.annotate("depth", middle, color=INK, va="center", xytext=(6, 0), textcoords="offset points")
    axes.plot(*point, "o", color=INK, ms=5)
    axes.annotate("contact point", point, (-1.4, 0.95), color=INK, ha="left", va="center",
                  arrowprops={"arrowstyle": "-", "color": SOFT, "lw": 0.8, "shrinkB": 4})
    axes.text(-0.55, -0.45, "A", color=SOFT, fontsize=15, weight="bold")
    axes.text(where[0] - 0.1, where[1] + 0.25, "B", color=BLUE, fontsize=15, weight="bold")
    foot = point - 1.05 * side
    _arrow(axes, foot, foot + 0.4 * normal, GREEN)
    axes.annotate("normal n_AB\nfrom A to B", foot + 0.45 * normal, color=GREEN, ha="center", va="bottom")
    axes.set(xlim=(-1.45, 2.0), ylim=(-1.05, 1.85), aspect="equal")
    axes.axis("off")
    save(figure, "concepts_depth.png")


def _arrow(axes: Any, start: Any, end: Any, colour: str) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=style)


def _block(friction: dict[str, Any], normal: dict[str, Any], state: dict[str, Any]) -> contactlib.Spec:
    """A ball of 1 kg with a plane below."""
    ball = {"name": "ball", "motion": "free", "mass": 1.0, "inertia": [1e3, 1e3, 1e3], "state": state,
            "shape": [{"name": "s", "kind": "sphere", "radius": 0.1, "material": "a"}]}
    plane = {"name": "plane", "motion": "fixed", "shape": [{"name": "s", "kind": "plane", "material": "b"}]}
    law = {"name": "law", "materials": ["a", "b"], "normal": normal, "friction": friction}
    scene = {"name": "block", "gravity": [0.0, 0.0, -9.81 if friction["kind"] != "none" else 0.0]}
    return contactlib.Spec.from_dict({"scene": scene, "body": [ball, plane], "law": [law],
                                      "pair": [{"bodies": ["ball", "plane"]}]})


def laws() -> None:
    """Left: force over depth in an impact, for two normal laws. Right: friction over displacement of a pulled ball."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.4))
    impact = {"r": [0.0, 0.0, 0.1], "v": [0.0, 0.0, -0.5]}
    for name, normal, colour in (
            ("Kelvin-Voigt", {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 40.0}, BLUE),
            ("Hunt-Crossley", {"kind": "hunt_crossley", "stiffness": 1e4, "exponent": 1.0, "damping": 1.0}, ORANGE)):
        run = contactlib.Simulation(_block({"kind": "none"}, normal, impact).compile()).run(0.04, 2e-5)
        touching = run.max_depth > 0.0
        deep, push = 1e3 * run.max_depth[touching], run.wrenches[touching, 0, 2]
        left.plot(deep, push, color=colour, label=name)
        for k in (len(deep) // 4, 3 * len(deep) // 4):  # loading, unloading
            _arrow(left, (deep[k - 1], push[k - 1]), (deep[k + 1], push[k + 1]), colour)
    left.set(title="Normal force in an impact", xlabel="depth (mm)", ylabel="normal force (N)", ylim=(0.0, None))
    left.legend(frameon=False)
    friction = {"kind": "bristle", "mu_static": 0.6, "mu_kinetic": 0.4, "tangential_stiffness": 2e3,
                "tangential_damping": 20.0}
    normal = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 600.0}
    simulation = contactlib.Simulation(_block(friction, normal, {"r": [0.0, 0.0, 0.1 - 9.81e-5]}).compile())
    pull, path, force = np.linspace(0.0, 7.5, 3000), [], []
    for load in pull:
        simulation.set("ball.f_ext", [load, 0.0, 0.0])
        simulation.step(1e-3)
        path.append(1e3 * simulation.states[0, 0])
        force.append(-simulation.wrenches[0, 0])
    right.plot(path, force, color=BLUE, label="friction")
    for mu, text in ((0.6, "mu_static x normal force"), (0.4, "mu_kinetic x normal force")):
        right.axhline(mu * 9.81, color=SOFT, lw=0.8, ls=(0, (4, 3)))
        right.annotate(text, (5.8, mu * 9.81), color=SOFT, fontsize=9, va="bottom", ha="right", xytext=(0, 2),
                       textcoords="offset points")
    right.set(title="Friction while the pull grows", xlabel="displacement (mm)", ylabel="friction force (N)",
              xlim=(0.0, 6.0), ylim=(0.0, 7.0))
    save(figure, "concepts_laws.png")


def energy() -> None:
    """The balance of the first scene: where the energy of the falling box goes."""
    spec = first_scene()
    run = contactlib.Simulation(spec.compile()).run(1.0, 1e-4)
    mass = spec.rigid_bodies[0].mass_properties()
    assert mass is not None
    kinetic = balance(run, {"box": mass}).kinetic
    potential = mass.mass * 9.81 * (run.states[:, 0, 2] - run.states[-1, 0, 2])
    figure, both = plt.subplots(1, 2, figsize=(9.6, 3.4), sharey=True, width_ratios=[3, 2])
    for axes, span, title in zip(both, ((0.0, 1.0), (0.14, 0.22)), ("", "The first impacts"), strict=True):
        axes.stackplot(run.time, kinetic, potential, run.energy_stored, run.energy_dissipated,
                       labels=["kinetic", "potential", "stored in contacts", "turned into heat"],
                       colors=["#9cc3e6", "#cfd8df", GREEN, "#f0c39b"])
        axes.plot(run.time, kinetic + potential + run.energy_stored + run.energy_dissipated, color=INK, label="sum")
        axes.set(xlabel="time (s)", xlim=span, ylim=(0.0, None), title=title)
    both[0].set_ylabel("energy (J)")
    both[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "concepts_energy.png")


if __name__ == "__main__":
    plt.rcParams.update(STYLE)
    friction_of_the_box()
    shapes()
    depth()
    laws()
    energy()
