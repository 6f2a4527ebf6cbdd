"""Two shapes with a spring of 1 N/m between them: the depth of their surface contact, force and torque."""

import numpy as np

import contactlib
from tests.oracle.reference_potential import Potential
from tests.support.compare import as_mesh
from tests.support.scenes import body, law, scene

SPRING = {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0}


class SurfacePair:
    """Of shapes (kind, sizes) as in tests/oracle/reference.py."""

    def __init__(self, a, b, sharpness=4):
        parts = [body(name, "external", [{"name": "shape", "material": name, **table(*form)}])
                 for name, form in (("a", a), ("b", b))]
        touch = {**law("touch", ["a", "b"], SPRING), "sharpness": sharpness}
        self.simulation = contactlib.Simulation(scene(parts, [touch], [["a", "b"]]).compile())
        self.states = np.zeros((2, 13))

    def __call__(self, X_WA, X_WB):
        """What acts on B, about its origin."""
        self.states[:, :7] = X_WA, X_WB
        found = self.simulation.compute(self.states)
        energy = found.contacts["stored_energy"].sum()
        return Potential(float(np.sqrt(2 * energy)), *np.split(found.wrench("b").copy(), 2))


def table(kind, sizes):
    """Its keys in a scene."""
    if kind == "mesh":
        mesh = as_mesh("polyhedron", sizes)
        sizes = {"vertices": mesh.vertices, "triangles": mesh.triangles}
    return {"kind": kind, **{key: np.asarray(value).tolist() for key, value in sizes.items()}}
