"""A Spec as JSON with arrays beside it, and back.

Every class is known by name from a fixed list, so that reading a file runs no code of the file. Contact models in
Python come back untrusted: their scene can be shown, not compiled.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from inspect import isclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib import elements
from contactlib.common.tables import hint
from contactlib.model import parts
from contactlib.model.spec import Spec
from contactlib.model.user_law_source import PythonModel
from contactlib.shapes.shapes import SHAPES

Array = NDArray[Any]


@cache
def known_classes() -> dict[str, type[Any]]:
    """Return the classes of a scene by name: the dataclasses of the modules that define its parts."""
    modules = [parts, *(sys.modules[name] for name in sorted(sys.modules) if name.startswith(f"{elements.__name__}."))]
    of_modules = [value for module in modules for value in vars(module).values()
                  if isclass(value) and is_dataclass(value) and value.__module__ == module.__name__]
    return {of.__name__: of for of in (Spec, PythonModel, *of_modules, *SHAPES.values())}


def write_scene(spec: Spec) -> tuple[str, list[Array]]:
    """Return a scene as JSON, and the arrays that it refers to by number.

    >>> from contactlib import load
    >>> spec = load("peg_in_hole")
    >>> read_scene(*write_scene(spec)) == spec
    True
    """
    arrays: list[Array] = []
    return json.dumps(_encoded(spec, arrays), ensure_ascii=False, allow_nan=False), arrays


def read_scene(text: str, arrays: Sequence[Array]) -> Spec:
    """Return the scene that `write_scene` has written. ValueError for any other text."""
    try:
        spec = _decoded(json.loads(text), arrays)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"its scene is damaged: {error}") from None
    if not isinstance(spec, Spec):
        raise ValueError(f"its scene is damaged: it holds a {type(spec).__name__}, must be a Spec")
    return spec


def _encoded(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, Path):
        return {"path": str(value)}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple):
        return [_encoded(item, arrays) for item in value]
    if isinstance(value, Mapping):
        return {"table": [[_encoded(key, arrays), _encoded(item, arrays)] for key, item in value.items()]}
    name = type(value).__name__
    if not is_dataclass(value) or known_classes().get(name) is not type(value):
        raise ValueError(f"a result file cannot hold a scene with a {name}: {hint(name, known_classes())}")
    content = {field.name: _encoded(getattr(value, field.name), arrays) for field in fields(value) if field.init}
    return {"class": name, **content}


def _decoded(value: Any, arrays: Sequence[Array]) -> Any:
    if isinstance(value, list):
        return tuple(_decoded(item, arrays) for item in value)
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and "class" not in value:
        return _special(*next(iter(value.items())), arrays)
    name = value["class"]
    if name not in known_classes():
        raise ValueError(f"its scene has a {name}, which this version of contactlib does not know")
    of = known_classes()[name]
    content = {key: _decoded(item, arrays) for key, item in value.items() if key != "class"}
    unknown = sorted(content.keys() - {field.name for field in fields(of)})
    if unknown:
        raise ValueError(f"its scene has the key {name}.{unknown[0]}, which this version of contactlib does not know")
    made = of(**content)
    return replace(made, trusted=False) if isinstance(made, PythonModel) else made


def _special(kind: str, content: Any, arrays: Sequence[Array]) -> Any:
    if kind == "float":
        return float(content)
    if kind == "path":
        return Path(content)
    if kind == "array":
        return arrays[content]
    if kind == "table":
        return {_decoded(key, arrays): _decoded(item, arrays) for key, item in content}
    raise ValueError(f"its scene is damaged: it has the mark '{kind}'")
