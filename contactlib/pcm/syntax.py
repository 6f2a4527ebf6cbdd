"""The statements of a .pcm file, with their places in its text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from contactlib.pcm.diagnostics import Source


@dataclass(frozen=True)
class Name:
    """A name with its offset in the text; `File.source.place` turns an offset into line and column."""

    text: str
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class Value:
    """A number, a list of numbers or a text: its value, its text in the file (`written`), and its unit if given."""

    value: float | tuple[float, ...] | str
    written: str
    unit: Name | None = None
    at: int = field(default=-1, compare=False)

    def plain(self) -> Any:
        """The value in Python's types: int for integers, list for lists."""
        if isinstance(self.value, str):
            return self.value
        pieces = re.findall(r"[^(), ]+", self.written)
        numbers = [int(piece) if re.fullmatch(r"[+-]?[0-9]{1,18}", piece) else float(piece) for piece in pieces]
        return numbers if isinstance(self.value, tuple) else numbers[0]


@dataclass(frozen=True)
class Parameter:
    name: Name
    value: Value
    end: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class ContactType:
    """A statement `ContactType name = model [{ parameters }];` from offset `at` to `end`; its block begins at `opened`.

    A model in Python is "module:Class".
    """

    name: Name
    model: Name
    parameters: tuple[Parameter, ...] = ()
    at: int = field(default=-1, compare=False)
    opened: int = field(default=-1, compare=False)
    end: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class Assignment:
    """A statement `SurfacePair one * other -> contact;` (`kind` "surface") or `ObjectPair ...` (`kind` "object")."""

    kind: str
    names: tuple[Name, Name]
    contact: Name
    at: int = field(default=-1, compare=False)
    end: int = field(default=-1, compare=False)


Statement = ContactType | Assignment


@dataclass(frozen=True)
class File:
    """The statements of a file in their order, and its comments (offset, text). Equal statements make equal files."""

    statements: tuple[Statement, ...]
    comments: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    source: Source = field(default_factory=lambda: Source("", ""), compare=False)
    #: names of contact types whose statements have a syntax error
    broken: frozenset[str] = field(default=frozenset(), compare=False)


def decode(content: bytes, name: str) -> Source:
    """Decode a file: UTF-8 with or without byte order mark; lines end with LF, CR LF or CR.

    PcmError names the place of the first byte that is not UTF-8.
    """
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return Source(content.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        text = content[:error.start].decode("utf-8")
        rest = content[error.start:].split(b"\n", 1)[0].decode("utf-8", errors="replace")
        source = Source(text + rest, name)
        source.report(len(text), f"the byte 0x{content[error.start]:02x} is not UTF-8: save the file as UTF-8")
        source.check()
        raise AssertionError from error
