"""Diagnostics of a .pcm file: mistakes with their places, collected, sorted, and printed with the line and a caret."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

#: most diagnostics of one file
MOST = 50
#: most printed characters of a line, and of a name within a sentence
SHOWN, NAMED = 100, 60


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One mistake: a sentence with its line and column. Both count from 1; a tab is one column."""

    line: int
    column: int
    sentence: str


class PcmError(ValueError):
    """A .pcm file is refused. `diagnostics` are its mistakes in the order of the file; `str()` prints all of them."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(text, diagnostics)  # both arguments, because pickle keeps an error by its arguments
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])


class Source:
    """A text with its diagnostics. Every printed sentence begins with `name`, line and column."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._diagnostics: set[Diagnostic] = set()

    def place(self, at: int) -> tuple[int, int]:
        """Return line and column, both from 1, of an offset into the text."""
        line = bisect_right(self._starts, at, hi=len(self.lines))
        return line, at - self._starts[line - 1] + 1

    def line(self, at: int) -> int:
        return self.place(at)[0]

    def report(self, at: int, sentence: str) -> None:
        if not self.full:
            self._diagnostics.add(Diagnostic(*self.place(at), _visible(sentence)))

    @property
    def count(self) -> int:
        return len(self._diagnostics)

    @property
    def full(self) -> bool:
        return len(self._diagnostics) >= MOST

    def check(self) -> None:
        """Raise PcmError with all diagnostics, if there are any."""
        if self._diagnostics:
            diagnostics = tuple(sorted(self._diagnostics))
            text = "\n".join(self._shown(diagnostic) for diagnostic in diagnostics)
            limited = f"{text}\n{self.name}: {MOST} mistakes, the rest of the file was not read"
            raise PcmError(limited if self.full else text, diagnostics)

    def _shown(self, diagnostic: Diagnostic) -> str:
        """Print a diagnostic: file:line:column: sentence, then a part of the line with a caret below the place."""
        whole = self.lines[diagnostic.line - 1]
        first = max(0, min(diagnostic.column - 1 - SHOWN // 2, len(whole) - SHOWN))
        shown = whole[first:first + SHOWN]
        before = shown[:diagnostic.column - 1 - first]
        pad = "".join("\t" if letter == "\t" else " " for letter in before)
        line = "".join(letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}"
                       for letter in shown)
        return f"{self.name}:{diagnostic.line}:{diagnostic.column}: {diagnostic.sentence}\n    {line}\n    {pad}^"


def quoted(text: str) -> str:
    """Quote a piece of the text for a sentence; a long piece is shortened."""
    return f"'{text}'" if len(text) <= NAMED else f"'{text[:NAMED - 3]}...'"


def _visible(text: str) -> str:
    """Escape the control characters of a text, because a terminal would execute them."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
