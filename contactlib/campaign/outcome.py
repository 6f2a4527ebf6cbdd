"""The outcome of one run of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run: its metrics, or its error if the run failed."""

    metrics: dict[str, float]
    error: str | None = None

    def differences(self, other: Outcome) -> Iterator[str]:
        """Yield a sentence for each bitwise difference between this outcome and another one.

        >>> list(Outcome({"depth": 0.5}).differences(Outcome({"depth": 0.25})))
        ['depth = 0.25 instead of 0.5']
        """
        if self.error != other.error:
            yield f"{_ending(other)} instead of {_ending(self)}"
        for name in dict.fromkeys((*self.metrics, *other.metrics)):
            one, two = self.metrics.get(name), other.metrics.get(name)
            if _bits(one) != _bits(two) and self.error == other.error:
                yield f"{name} = {two!r} instead of {one!r}"


def _ending(outcome: Outcome) -> str:
    return f"the error '{outcome.error}'" if outcome.error else "a run without error"


def _bits(value: float | None) -> str | None:
    """Return a number in hexadecimal digits, which distinguish -0.0 from 0.0."""
    return None if value is None else float(value).hex()
