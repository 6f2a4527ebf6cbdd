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
from matplotlib.patches import Circle, Polygon

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


SIDE, STIFFNESS = 0.1, 1e6  # m, N/m: of the cube in the picture of a surface contact
#: of a cube that stands on a face, an edge, a corner: quaternion, and height of its middle over its lowest place
POSES = {"face": ([1.0, 0.0, 0.0, 0.0], SIDE / 2),
         "edge": ([np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0], SIDE / 2**0.5),
         "corner": ([0.88807383, -0.32505758, 0.32505758, 0.0], SIDE * 0.75**0.5)}
COLOURS = {"face": BLUE, "edge": ORANGE, "corner": GREEN}


def surface() -> None:
    """A cube in the ground on a face, an edge, a corner: pressure, depth of the pair, and its force over the depth."""
    figure, axes = plt.subplots(1, 4, figsize=(12.0, 3.4), width_ratios=[1, 1, 1, 1.75], layout="constrained")
    square, long = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), np.array([1.0, 2**0.5])
    outlines = {"face": square - [0.5, 0.0], "edge": _turned(square, np.pi / 4),
                "corner": _turned(square * long, np.arctan2(1.0, 2**0.5))}  # cut along the diagonal of a face
    p, deep, phi = 4, 0.24, {"face": 0.24}  # of a cube of side 1
    phi["edge"] = (2 * 2**0.5 * deep ** (p + 1) / (p + 1)) ** (1 / p)
    phi["corner"] = (9 * deep ** (p + 2) / ((p + 1) * (p + 2))) ** (1 / p)
    for panel, (name, outline) in zip(axes, outlines.items(), strict=False):
        _pressed(panel, outline - [0.0, deep], deep, phi[name], COLOURS[name])
        panel.set_title(f"{'an' if name == 'edge' else 'a'} {name}", loc="center")
    depths = np.geomspace(2e-5, 2e-3, 25)
    for sharpness, style in ((4, "-"), (16, ":")):
        simulation = contactlib.Simulation(_cube(sharpness))
        for name, (q, height) in POSES.items():
            poses = [{"r": [0.0, 0.0, height - d], "q": q} for d in depths]
            force = [simulation.compute({"cube": pose}).wrench("cube")[2] for pose in poses]
            label = f"{name}, p = {sharpness}" if name != "face" else {4: "face, any p"}.get(sharpness)
            axes[3].loglog(1e3 * depths, force, style, color=COLOURS[name], label=label)
    axes[3].set(title="Force of a cube of 0.1 m, k = 1e6 N/m", xlabel="depth d (mm)", ylabel="force (N)",
                ylim=(1e-3, 1e4))
    axes[3].legend(frameon=False, fontsize=8, loc="lower right", ncols=2)
    save(figure, "concepts_surface.png")


def _turned(outline: Any, angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return outline @ np.array([[c, s], [-s, c]])


def _cube(sharpness: int) -> contactlib.Model:
    cube = {"name": "s", "kind": "box", "size": [SIDE] * 3, "material": "a"}
    plane = {"name": "s", "kind": "plane", "material": "b"}
    law = {"name": "law", "materials": ["a", "b"], "sharpness": sharpness,
           "normal": {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 0.0}}
    return contactlib.Spec.from_dict({
        "scene": {"name": "cube"}, "law": [law], "pair": [{"bodies": ["cube", "ground"]}],
        "body": [{"name": "cube", "motion": "external", "shape": [cube]},
                 {"name": "ground", "motion": "fixed", "shape": [plane]}]}).compile()


def _pressed(axes: Any, corners: Any, deep: float, phi: float, colour: str) -> None:
    """A solid in section in the ground, with its pressure e^3, the greatest extent d, and the depth Phi of the pair."""
    axes.axhspan(-0.75, 0.0, fc="#dbe3ea", ec="none")
    axes.add_patch(Polygon(corners, fc="#d8e9f7", ec=colour, lw=1.6))
    axes.axhline(0.0, color=SOFT, lw=1.0)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        places = start + np.linspace(0.0, 1.0, 400)[:, None] * (end - start)
        places = places[places[:, 1] <= 0.0]
        out = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
        profile = places + 0.4 * (-places[:, 1:] / deep) ** 3 * out
        axes.add_patch(Polygon(np.vstack([places, profile[::-1]]), fc=RED, ec="none", alpha=0.55))
    for x, level, text in ((-0.72, deep, "d"), (0.72, phi, "Phi")):
        _span(axes, x, level)
        axes.annotate(text, (x, -level / 2), ha="center", va="center", color=INK, xytext=(14 * np.sign(x), 0),
                      textcoords="offset points")
        axes.plot([x, 0.0], [-level, -level], color=INK, lw=0.8, ls=(0, (4, 3)))
    axes.set(xlim=(-1.0, 1.0), ylim=(-0.75, 1.52), aspect="equal")
    axes.axis("off")


def _span(axes: Any, x: float, deep: float) -> None:
    ends = {"arrowstyle": "<|-|>", "color": INK, "lw": 0.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 6}
    axes.annotate("", (x, -deep), (x, 0.0), arrowprops=ends)


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
    surface()
    laws()
    energy()
