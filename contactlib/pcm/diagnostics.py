"""What is wrong with a .pcm file, place by place: collected, sorted, and shown with the line and a caret."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

#: of one file: whoever has more reads these first
MOST = 50
#: columns of a line that are shown, and of a name that is repeated
SHOWN, NAMED = 100, 60


@dataclass(frozen=True, order=True)
class Fault:
    """One mistake: line and column from 1, a tab counting as one column, and a sentence."""

    line: int
    column: int
    sentence: str


class PcmError(ValueError):
    """A .pcm file that is refused. `faults` are its mistakes in the order of the file, `str()` shows them all."""

    def __init__(self, text: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(text, faults)  # both: an error is sent between processes by its arguments
        self.faults = faults

    def __str__(self) -> str:
        return str(self.args[0])


class Source:
    """A text and what is found to be wrong with it. `name` stands before every sentence, as file:line:column."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._faults: set[Fault] = set()

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset into the text."""
        line = bisect_right(self._starts, at, hi=len(self.lines))
        return line, at - self._starts[line - 1] + 1

    def line(self, at: int) -> int:
        return self.place(at)[0]

    def fault(self, at: int, sentence: str) -> None:
        if not self.full:
            self._faults.add(Fault(*self.place(at), _visible(sentence)))

    @property
    def count(self) -> int:
        return len(self._faults)

    @property
    def full(self) -> bool:
        return len(self._faults) >= MOST

    def check(self) -> None:
        """PcmError with everything that was found, if anything was."""
        if self._faults:
            faults = tuple(sorted(self._faults))
            text = "\n".join(self._shown(fault) for fault in faults)
            raise PcmError(f"{text}\n{self.name}: {MOST} mistakes, the rest was not read" if self.full else text,
                           faults)

    def _shown(self, fault: Fault) -> str:
        """file:line:column: sentence; then a part of the line, and a caret below the place."""
        whole = self.lines[fault.line - 1]
        first = max(0, min(fault.column - 1 - SHOWN // 2, len(whole) - SHOWN))
        shown = whole[first:first + SHOWN]
        before = shown[:fault.column - 1 - first]
        pad = "".join("\t" if letter == "\t" else " " for letter in before)
        line = "".join(letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}"
                       for letter in shown)
        return f"{self.name}:{fault.line}:{fault.column}: {fault.sentence}\n    {line}\n    {pad}^"


def quoted(text: str) -> str:
    """A piece of the text for a sentence, cut short."""
    return f"'{text}'" if len(text) <= NAMED else f"'{text[:NAMED - 3]}...'"


def _visible(text: str) -> str:
    """The same with nothing that a terminal would act on."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
