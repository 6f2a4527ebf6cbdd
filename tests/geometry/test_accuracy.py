"""The accuracy table: the worst depth error of every defined pair, held from both sides.

A cell may neither be exceeded nor stay more than twelve times too pessimistic, so the table in docs/accuracy.md is
what the code does. `python -m tests.geometry.test_accuracy` writes that page from this dictionary.
"""

from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from tests.mesh import mesh_levels
from tests.oracle import reference
from tests.oracle.reference_potential import potential
from tests.poses import poses_mesh
from tests.poses import poses_pairs as poses
from tests.poses.poses_socket import CONVEX
from tests.poses.poses_surface import PAIRS, ROUNDED, touching
from tests.support import compare, compare_mesh
from tests.surfaces.surface_pairs import SurfacePair

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
POSES, MESH_POSES = 400, 40  # of each contact region

#: m; shapes of 1 to 10 cm within 1 m of the origin. plane pairs see the whole distance to the plane's origin.
ACCURACY = {
    "point-sphere": 1.5e-18,
    "point-capsule": 3e-17,
    "point-ellipsoid": 3e-17,
    "point-box": 4.5e-17,
    "point-cylinder": 3e-17,
    "point-polyhedron": 4e-17,
    "point-socket": 10e-17,
    "point-mesh": 7e-17,
    "point-plane": 7e-16,
    "sphere-sphere": 8e-18,
    "sphere-segment": 3.5e-17,
    "sphere-capsule": 3.5e-17,
    "sphere-triangle": 3e-17,
    "sphere-ellipsoid": 4.5e-17,
    "sphere-box": 6.5e-17,
    "sphere-cylinder": 3.5e-17,
    "sphere-polyhedron": 3.5e-17,
    "sphere-socket": 1.5e-16,
    "sphere-mesh": 1e-16,
    "sphere-plane": 9e-16,
    "segment-capsule": 3e-17,
    "segment-triangle": 3.5e-17,
    "segment-ellipsoid": 3.5e-17,
    "segment-box": 5.5e-17,
    "segment-cylinder": 5e-17,
    "segment-polyhedron": 4e-17,
    "segment-socket": 1.5e-16,
    "segment-mesh": 3.5e-16,
    "segment-plane": 8e-16,
    "capsule-capsule": 2e-16,
    "capsule-ellipsoid": 7.5e-17,
    "capsule-socket": 2.5e-16,
    "triangle-triangle": 1.5e-16,
    "triangle-ellipsoid": 5.5e-17,
    "triangle-socket": 9e-17,
    "ellipsoid-ellipsoid": 5e-17,
    "ellipsoid-box": 1.5e-16,
    "ellipsoid-cylinder": 7e-17,
    "ellipsoid-polyhedron": 6e-17,
    "ellipsoid-socket": 9.5e-17,
    "ellipsoid-plane": 8e-16,
    "box-socket": 9.5e-17,
    "cylinder-socket": 1.2e-16,
    "polyhedron-socket": 1.2e-16,
    "socket-socket": 1e-16,
    "socket-mesh": 1e-16,
    "socket-plane": 9.5e-16,
}


#: as above, of point contacts of pairs that have a surface contact: cables' capsules, rounded solids on cylinders
POINTS = {
    "capsule-triangle": 9.5e-17,
    "capsule-box": 1.5e-16,
    "capsule-cylinder": 1.2e-16,
    "capsule-polyhedron": 6.5e-17,
    "capsule-plane": 8.5e-16,
    "box-cylinder": 1.5e-16,
    "cylinder-polyhedron": 2.5e-16,
}

SLOW = {"rounded box-rounded gem"}  # minutes of brute force; 6e-9
SAMPLED = 3e-7  # what the brute force itself may be off by
#: relative, of the depth of surface contacts
SURFACES = {
    **dict.fromkeys((pair for pair in PAIRS if pair not in SLOW), SAMPLED),
    "box-cylinder": 6e-7,
    "cylinder-cylinder": 6e-7,
    "cylinder-plane": 9e-7,
    "ellipsoid-mesh": 4e-5,
}


def worst_of_a_surface(pair):
    """Of random edges, corners and sides in each other: relative errors of the depth, the force and the torque."""
    (a, b), rng, worst = PAIRS[pair], np.random.default_rng(1), np.zeros(3)
    both = SurfacePair(a, b)
    for depth in (3e-4, 2e-3) if pair in ROUNDED else (3e-4, 3e-4, 2e-3, 2e-3):
        X_A, X_B = touching(a, b, depth, rng)
        found, expected = both(X_A, X_B), potential(a, b, X_A, X_B)
        size = np.linalg.norm(expected.force)
        errors = [found.phi / expected.phi - 1, np.abs(found.force - expected.force).max() / size,
                  np.abs(found.torque - expected.torque).max() / (0.1 * size)]
        worst = np.maximum(worst, np.abs(errors))
    return worst


def worst_error(pair):
    """Of all regions whose shapes are this pair."""
    if pair == "socket-mesh":
        return max(map(convex_mesh_error, CONVEX))
    mesh = "mesh" in pair.split("-")
    where, how, count = (poses_mesh, compare_mesh.compare, MESH_POSES) if mesh else (poses, compare.compare, POSES)
    errors = [0.0]
    for generate in (*where.REGIONS.values(), *(where.ON_PLANE if mesh else where.PAIRS).values()):
        (a, _), (b, _), _, _ = generate(np.random.default_rng(0), 2)
        if f"{a}-{b}" == pair:
            errors.append(np.max(how(*generate(np.random.default_rng(17), count)).depth, initial=0.0))
    return max(errors)


def convex_mesh_error(region):
    """Of a socket and a convex mesh: the deepest contact beside the oracle's of the polyhedron, which touches alike."""
    A, B, X_WA, X_WB = poses.PAIRS[region](np.random.default_rng(17), POSES)
    ours = contactlib.manifolds(compare.shape(B), compare.as_mesh(*A), X_WB, X_WA).depth.max(1)
    return float(np.abs(ours - reference.manifold(A, B, X_WA, X_WB).depth.max(1).clip(0)).max())


def page():
    """docs/accuracy.md."""
    kinds = engine.shape_kinds()
    lines = [
        "# Accuracy of every pair", "",
        "Worst depth error against the oracle (tests/oracle/reference.py, of meshes tests/oracle/reference_mesh.py,",
        "extended precision) over hundreds or thousands of random poses of every contact region, shapes of 1 to 10 cm",
        "within 1 m of the origin; of meshes all contacts of a pose are compared. Each cell is a test: the error",
        "measured is at most the cell and at least a twelfth of it. A dash: the pair is not defined. A star: surface",
        "contacts, which have a section below. Written by `python -m tests.geometry.test_accuracy`.", "",
        "| m | " + " | ".join(kinds) + " |", "|---|" + "---|" * len(kinds),
    ]
    for a, one in enumerate(kinds):
        cells = [cell(f"{one}-{other}", b < a) for b, other in enumerate(kinds)]
        lines.append(f"| **{one}** | " + " | ".join(cells) + " |")
    lines += [
        "", "## Surface contacts", "",
        "Worst relative error of the depth beside brute force (tests/oracle/reference_potential.py): random edges,",
        f"corners and sides 0.3 mm and 2 mm inside each other. The brute force is known to {SAMPLED:.0e}; a greater",
        "error is that of the Gauss rules over round surfaces. Between flat faces the integrals are exact. The third",
        "column: the worst error of point contacts of the pair, as cables have them, and rounded solids on cylinders,",
        "in m.", "",
        "| pair | depth, relative | points, m |", "|---|---|---|",
    ]
    for pair, number in SURFACES.items():
        lines.append(f"| {pair} | {number:.1e} | {f'{POINTS[pair]:.1e}' if pair in POINTS else '-'} |")
    return "\n".join(lines + mesh_levels.section()) + "\n"


def cell(pair, mirrored):
    if pair in SURFACES:
        return "[*](#surface-contacts)"
    return f"{ACCURACY[pair]:.1e}" if pair in ACCURACY else "" if mirrored else "-"


@pytest.mark.parametrize("pair", list(SURFACES))
def test_surface(pair):
    """Of force and torque the brute force has four digits: their direction jumps where two faces are equally near."""
    depth, force, torque = worst_of_a_surface(pair)
    assert depth <= SURFACES[pair]
    assert SURFACES[pair] == SAMPLED or depth >= SURFACES[pair] / 12
    assert max(force, torque) < 2e-4


@pytest.mark.parametrize("case", list(mesh_levels.table()))
def test_mesh_by_fineness(case):
    for cell, error in zip(mesh_levels.table()[case], mesh_levels.measured(case), strict=True):
        assert cell / 2 <= error <= cell


@pytest.mark.parametrize("pair", [*ACCURACY, *POINTS])
def test_cell(pair):
    cell = {**ACCURACY, **POINTS}[pair]
    assert cell / 12 <= worst_error(pair) <= cell


def test_every_defined_pair_has_a_cell():
    kinds = engine.shape_kinds()
    defined = {f"{a}-{b}" for i, a in enumerate(kinds) for j, b in enumerate(kinds) if engine.pair_table()[i, j]}
    assert defined == set(ACCURACY) | set(SURFACES) - set(ROUNDED)


def test_page_is_current():
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
