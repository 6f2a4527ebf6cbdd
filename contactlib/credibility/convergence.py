"""Step-size convergence of the quantities of interest: the run at the steps h, h/2 and h/4."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from contactlib.campaign.runner import Runner
from contactlib.credibility.definition import Facts
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec

#: parts of the step h, the first first
PARTS = (1, 2, 4)
#: lowest order that counts as convergence: below it, a smaller step hardly changes the error
LOWEST_ORDER = 0.3
#: of a value: differences this small are rounding, and have no order
ROUNDING = 1e-12


@dataclass(frozen=True)
class Convergence:
    """A quantity at the steps h, h/2 and h/4, in its unit.

    With d1 = |q(h) - q(h/2)| and d2 = |q(h/2) - q(h/4)|, the order is p = log2(d1/d2), and the error at h is about
    d1 / (1 - 2^-p) (Richardson's extrapolation).

    Examples
    --------
    >>> found = Convergence("x", "m", (1.16, 1.04, 1.01))    # 1 + 0.16 (step / h)^2
    >>> round(found.order, 9), round(found.error, 9)
    (2.0, 0.16)
    """

    name: str
    unit: str
    values: tuple[float, float, float]

    @property
    def order(self) -> float:
        """Order of convergence; NaN where the values are equal to rounding, infinite, or do not come closer."""
        first, second = (abs(a - b) for a, b in zip(self.values, self.values[1:], strict=False))
        least = ROUNDING * max(map(abs, self.values))
        if not (least < second < math.inf and least < first < math.inf):
            return math.nan
        order = math.log2(first / second)
        return order if order >= LOWEST_ORDER else math.nan

    @property
    def error(self) -> float:
        """Estimated error at the step h; without an order the largest difference of the three values."""
        first = abs(self.values[0] - self.values[1])
        if math.isnan(self.order):
            return max(self.values) - min(self.values) if all(map(math.isfinite, self.values)) else math.nan
        return first / (1.0 - math.exp2(-self.order))


def step_of(facts: Facts) -> float:
    """Return the step h of the study, s: that of [study], or else that of the scene."""
    given = facts.study.options.get("step")
    return float(given) if given is not None else Spec.from_toml(facts.scene).longest_step


def measure_convergence(facts: Facts, progress: Callable[[float], None] | None = None) -> list[Convergence]:
    """Run a scene at its step, at half and at a quarter of it, and return its quantities of interest.

    Parameters
    ----------
    facts : the scene.
    progress : called with the finished share of the work, 0 to 1.

    Raises
    ------
    ValueError : a run fails; the message is its error.
    """
    h = step_of(facts)
    found = []
    for number, part in enumerate(PARTS, start=1):
        campaign = facts.campaign(sampling="random", runs=1, step=h / part)
        outcome = Runner(campaign).run({})
        if outcome.error:
            raise ValueError(f"{facts.name} with a step of {h / part:g} s: {outcome.error}")
        found.append(outcome.metrics)
        if progress is not None:
            progress(sum(PARTS[:number]) / sum(PARTS))
    return [Convergence(name, row["unit"], (found[0][name], found[1][name], found[2][name]))
            for name, row in facts.metrics.items()]


def nominal_spec(facts: Facts) -> Spec:
    """Return the scene as the study runs it: bodies with a mass are free."""
    options = facts.study.options
    return closed_loop(Spec.from_toml(facts.scene), list(options.get("fixed", ())), options.get("step"),
                       options.get("duration"), options.get("integrator"))
