"""Reads tables (TOML or dict) key by key; errors name the key's path, the value and what is allowed."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from contactlib.common.elementary import hypot

T = TypeVar("T")
Reader = Callable[[str, Any], T]
_REQUIRED: Any = object()
#: names that a sentence lists at most
MOST_NAMES = 100


def fail(path: str, value: object, allowed: str) -> NoReturn:
    """Raise a ValueError with a key's path, the value and what is allowed."""
    raise ValueError(f"{path} = {_short(value)}: {allowed}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def hint(name: str, known: Iterable[str]) -> str:
    """Return the nearest known name as a question, or the list of all known names."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names[:MOST_NAMES]) or 'none'}{more}"


def question(name: str, known: Iterable[str]) -> str:
    """Return the nearest known name as a question after a list of all names; empty if no name is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


class Table:
    """A table whose keys are read one by one; `finish` reports keys that nobody read."""

    def __init__(self, values: object, path: str) -> None:
        if not isinstance(values, Mapping):
            fail(path, values, "must be a table")
        self.values: dict[str, Any] = dict(values)
        self.path = path
        self.taken: list[str] = []

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def take(self, key: str, reader: Reader[T], default: T = _REQUIRED) -> T:
        self.taken.append(key)
        if key in self.values:
            return reader(self.at(key), self.values.pop(key))
        if default is _REQUIRED:
            raise ValueError(f"{self.at(key)} is missing{self._misspelled(key)}")
        return default

    def _misspelled(self, key: str) -> str:
        near = difflib.get_close_matches(key, [name for name in self.values if name not in self.taken], n=1)
        return f"; is '{near[0]}' meant for it?" if near else ""

    def tables(self, key: str) -> list[Table]:
        """Read an array of tables; empty if the key is absent."""
        self.taken.append(key)
        rows = self.values.pop(key, [])
        if not isinstance(rows, list):
            fail(self.at(key), rows, f"must be an array of tables, [[{key}]]")
        return [Table(row, f"{self.at(key)}[{i}]") for i, row in enumerate(rows)]

    def table(self, key: str) -> Table:
        """Read a sub-table; empty if the key is absent."""
        self.taken.append(key)
        return Table(self.values.pop(key, {}), self.at(key))

    def finish(self) -> None:
        for key in self.values:
            raise ValueError(f"{self.at(str(key))} is not a known key; {hint(str(key), self.taken)}")


def number(minimum: float = -math.inf, *, above: bool = False) -> Reader[float]:
    """Return a reader of finite numbers of at least (or, with `above`, greater than) the minimum."""

    def read(path: str, value: Any) -> float:
        allowed = "must be a finite number"
        if minimum > -math.inf:
            allowed += f" {'greater than' if above else 'of at least'} {minimum:g}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            fail(path, value, allowed)
        try:
            result = float(value)
        except OverflowError:
            fail(path, value, allowed)
        if not math.isfinite(result) or (result <= minimum if above else result < minimum):
            fail(path, value, allowed)
        return result

    return read


def integer(low: int, high: int) -> Reader[int]:
    def read(path: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            fail(path, value, f"must be an integer from {low} to {high}")
        return int(value)

    return read


def vector(length: int, element: Reader[float] | None = None) -> Reader[tuple[float, ...]]:
    def read(path: str, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list | tuple) or len(value) != length:
            fail(path, value, f"must be a list of {length} numbers")
        if element is None and all(type(v) is float and math.isfinite(v) for v in value):
            return tuple(value)
        return tuple((element or number())(f"{path}[{i}]", v) for i, v in enumerate(value))

    return read


def quaternion(path: str, value: Any) -> tuple[float, ...]:
    """Read a quaternion, scalar first. A length off 1 by more than 1e-3 is an error; smaller errors are normalised."""
    q = vector(4)(path, value)
    length = hypot(*q)
    if abs(length - 1.0) > 1e-3:
        fail(path, value, f"must be a unit quaternion, scalar first; its length is {length:g}")
    return tuple(x / length for x in q)


def boolean(path: str, value: Any) -> bool:
    if not isinstance(value, bool):
        fail(path, value, "must be true or false")
    return value


def text(path: str, value: Any) -> str:
    if not isinstance(value, str):
        fail(path, value, "must be a string")
    return value


def name(path: str, value: Any) -> str:
    """Read a name that is valid within a variable's name."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        fail(path, value, "must be a name of letters, digits and _, not starting with a digit")
    return value


def as_name(text: str, fallback: str = "_") -> str:
    """Return a text from elsewhere as a name that `name` reads: "_" for other characters, and before a digit.

    >>> as_name("arm/finger-1"), as_name("2nd"), as_name("", "geom_3")
    ('arm_finger_1', '_2nd', 'geom_3')
    """
    base = re.sub(r"[^A-Za-z0-9_]", "_", text) or fallback
    return f"_{base}" if base[0].isdigit() else base


def path_name(path: str, value: Any) -> str:
    """Read names with dots between them: an object, or a group of an object."""
    part = r"[A-Za-z_][A-Za-z0-9_]*"
    if not isinstance(value, str) or not re.fullmatch(rf"{part}(\.{part})*", value):
        fail(path, value, "must be the name of an object, or of a group of an object, such as object.group")
    return value


def pattern(path: str, value: Any) -> str:
    """Read names with dots between them as `path_name` does, or a shell pattern of such names, as "rock*"."""
    if isinstance(value, str) and re.search(r"[*?\[]", value):
        part = r"([A-Za-z0-9_*?]|\[!?[A-Za-z0-9_-]+\])+"
        if not re.fullmatch(rf"{part}(\.{part})*", value):
            fail(path, value, "must be a pattern of letters, digits, _, *, ? and [...], such as rock* or "
                              "hand.finger[12]")
        return value
    return path_name(path, value)


def file_name(path: str, value: Any) -> str:
    """Read the name of a file without a folder, because a run writes the file into its own folder."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", value):
        fail(path, value, "must be the name of a file without its folder: letters, digits, '_', '.' and '-'")
    return value


def choice(options: Iterable[str]) -> Reader[str]:
    known = tuple(options)

    def read(path: str, value: Any) -> str:
        if value not in known:
            fail(path, value, f"must be one of {', '.join(known)}{question(str(value), known)}")
        return str(value)

    return read


def listing(element: Reader[T], length: int | None = None) -> Reader[tuple[T, ...]]:
    def read(path: str, value: Any) -> tuple[T, ...]:
        if not isinstance(value, list | tuple) or (length is not None and len(value) != length):
            fail(path, value, f"must be a list{f' of {length}' if length is not None else ''}")
        return tuple(element(f"{path}[{i}]", v) for i, v in enumerate(value))

    return read
