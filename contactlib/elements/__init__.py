"""Elements of a scene: models that act on bodies in addition to contact, such as a membrane or a tether.

A kind of element is one module here and one file in core/element/. The module has a frozen dataclass whose `kind` names
its table in a scene file. `ELEMENTS` finds all these classes; each is also an attribute of this package.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from inspect import isclass
from typing import TYPE_CHECKING, Any

from contactlib.elements.base import Element

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


def _kinds() -> dict[str, type[Element]]:
    """Return the classes with a `kind` in the modules of this package, by kind."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    classes: list[Any] = [value for module in modules for value in vars(module).values()
                          if isclass(value) and value.__module__ == module.__name__ and "kind" in vars(value)]
    return {of.kind: of for of in sorted(classes, key=lambda of: str(of.kind))}


#: the class of every kind of element, by the name of its table in a scene file
ELEMENTS = _kinds()


def __getattr__(name: str) -> Any:
    """Return the class of a kind, such as `contactlib.elements.Membrane`."""
    for kind in ELEMENTS.values():
        if kind.__name__ == name:
            return kind
    raise AttributeError(f"module 'contactlib.elements' has no attribute '{name}'")


def in_order(spec: Spec, bodies: Mapping[str, FlatBody]) -> list[Element]:
    """Sort the elements of a scene into the order of the core: by stage, then as given.

    Raises ValueError if two elements contradict each other, or if one contradicts an option of the scene.
    """
    for element in spec.elements:
        element.check_with(spec, bodies)
    return sorted(spec.elements, key=lambda element: element.stage)
