"""Pages of the Python interface: every public name, from the docstrings."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from types import ModuleType

import contactlib
from contactlib.elements import ELEMENTS
from docs.website.fields import texts
from docs.website.staging import Stage

#: pages of the names of `contactlib` itself; a test compares them with `contactlib.__all__`
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "scenes": ("Scenes and models", (
        "load", "Spec", "model.parts.Body", "model.parts.BodyShape", "model.parts.Group", "model.parts.Law",
        "model.parts.Pair", "Model", "Variable", "MassProperties", "SceneWarning", "MeshWarning")),
    "shapes": ("Shapes", (
        "Point", "Sphere", "Segment", "Capsule", "Triangle", "Ellipsoid", "Box", "Cylinder", "Polyhedron", "Socket",
        "Mesh", "Plane", "cone", "height_field")),
    "simulation": ("Simulation and results", (
        "Simulation", "Result", "BatchResult", "Trajectory", "StepReport", "ContactArray", "ContactPatches",
        "ContactLog", "StepWarning", "DeepWarning")),
    "results": ("Result files", (
        "record", "ResultWriter", "read_result", "results.Result", "ResultError", "IncompleteWarning")),
    "worlds": ("Many worlds and runs", ("VectorSimulation", "WorldError", "run_ensemble", "Ensemble")),
    "queries": ("Queries without a scene", (
        "manifolds", "Manifolds", "distances", "Distances", "cast_rays", "RayHits", "press_points",
        "PointContactsResult", "rim_nearest", "rim_nearest_subdivision")),
    "contact_models": ("Contact models in Python", ("ContactModel", "Contacts", "ContactModelError")),
}
#: pages of other packages: the public names of their modules
PACKAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "fmu": ("FMU: export, master, information", (
        "contactlib.fmu.export", "contactlib.fmu.ssp", "contactlib.fmu.master", "contactlib.fmu.info",
        "contactlib.fmu.library")),
    "adapters": ("Adapters to other simulators", (
        "contactlib.adapters.mujoco", "contactlib.adapters.drake", "contactlib.adapters.basilisk")),
    "campaign": ("Campaigns", ("contactlib.campaign",)),
    "calibration": ("Calibration", ("contactlib.calibration",)),
    "exports": ("Exports and surfaces", ("contactlib.exports", "contactlib.shapes.surfaces")),
    "importers": ("Importers", ("contactlib.importers", "contactlib.shapes.importers")),
    "pcm": ("Files of contact models", ("contactlib.pcm",)),
    "berthing": ("Berthing rings", ("contactlib.berthing",)),
    "validation": ("Validation", ("contactlib.validation",)),
}


def write(stage: Stage) -> None:
    """Write the pages and the page that lists them."""
    for name, (title, names) in PAGES.items():
        stage.write(f"api/{name}.rst", page(title, [_resolve(path) for path in names]))
    stage.write("api/elements.rst", page("Elements", [(of.__module__, of.__name__) for of in element_classes()]))
    for name, (title, modules) in PACKAGES.items():
        stage.write(f"api/{name}.rst", page(title, [pair for module in modules for pair in public(module)]))
    stage.write("api/index.md", index())


def element_classes() -> list[type]:
    """The classes of all elements, by name; `contactlib.elements` has them as attributes."""
    return sorted(ELEMENTS.values(), key=lambda of: of.__name__)


def _resolve(path: str) -> tuple[str, str]:
    """The module under which a name is documented, and the name."""
    module, _, name = f"contactlib.{path}".rpartition(".")
    return module, name


def public(module: str) -> list[tuple[str, str]]:
    """Public classes and functions of a module: those of `__all__`, or those that it defines with a docstring."""
    of = importlib.import_module(module)
    return [(module, name) for name in _names(of) if inspect.isclass(getattr(of, name)) or callable(getattr(of, name))]


def _names(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [name for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__ and value.__doc__]


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def page(title: str, names: Iterable[tuple[str, str]]) -> str:
    """A page in reStructuredText with a section for each name."""
    parts = [heading(title, "=")]
    for module, name in names:
        value = getattr(importlib.import_module(module), name)
        parts.append(heading(name, "-"))
        parts.append(f".. currentmodule:: {module}\n")
        if inspect.isclass(value):
            listed = ", ".join(texts(value))
            parts.append(f".. autoclass:: {module}.{name}\n   :members:\n   :undoc-members:\n"
                         + (f"   :exclude-members: {listed}\n" if listed else ""))
        elif isinstance(value, dict | tuple | str):
            parts.append(f".. autodata:: {module}.{name}\n")
        else:
            parts.append(f".. autofunction:: {module}.{name}\n")
    return "\n".join(parts)


def index() -> str:
    """The page of all pages."""
    pages = {**{name: title for name, (title, _) in PAGES.items()}, "elements": "Elements",
             **{name: title for name, (title, _) in PACKAGES.items()}}
    return "\n".join([
        "# API\n",
        "All numbers are in SI units: m, kg, s, N, rad. Arrays are NumPy arrays of float64 if nothing else is said.\n",
        "- A state has 13 numbers: position r of the body's origin (m), quaternion q (body to world, scalar",
        "  first), velocity v of the origin (m/s), angular velocity w (rad/s). A wrench has 6: force (N), and torque",
        "  (N m) about the body's origin.",
        "- Axes are those of the world; w, force and torque are in body axes if the scene says",
        "  `resolve_in = \"body\"`.",
        "- `p_AC_W` is the position from A's origin to C in world axes, `X_WA` the pose of A in W, `n_AB_W` the unit",
        "  normal from A to B. `depth > 0` is penetration.",
        "- A wrong argument is a `ValueError` or `TypeError` with its name, its value and what is allowed.\n",
        "[The fields of a contact](../docs/contacts.md) have a page of their own, and",
        "[each key of a scene](../docs/scenes.md) has its unit and default there.\n",
        "```{toctree}", ":maxdepth: 2\n", *pages, "```\n"])


def listed() -> set[str]:
    """The names of `contactlib` that some page documents."""
    return {name for _, names in PAGES.values() for name in names if "." not in name} | {
        of.__name__ for of in element_classes() if of.__name__ in contactlib.__all__}
