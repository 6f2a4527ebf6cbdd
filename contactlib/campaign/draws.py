"""The draws of a campaign: distributions, and samples that fill the space of all draws evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.campaign import morris, paths
from contactlib.common import tables
from contactlib.common.tables import Table

Floats = NDArray[np.float64]
#: a quantile function: from numbers u in [0, 1] to values of the distribution
Quantile = Callable[[Floats], Sequence[Any] | Floats]
SAMPLINGS = ("latin_hypercube", "sobol", "random", "morris")
HOW = ("value", "offset", "factor")
_POSITIVE = tables.number(0.0, above=True)
# quantiles of a normal at 0 and 1 are not finite: draws stay this far within
_EDGE = 2.0**-53


@dataclass(frozen=True)
class Draw:
    """One drawn variable: its paths in the scene, how it changes the value there, and its distribution.

    `how` is "value" (replaces), "offset" (added) or "factor" (multiplied). `quantile` is None for a constant, which
    uses no dimension of the sample.
    """

    name: str
    steps: tuple[paths.Steps, ...]
    how: str
    unit: str
    quantile: Quantile | None
    constant: Any = None

    def applied(self, scene: Any, value: Any) -> Any:
        """Return the scene's tables with a value of this draw written into them. ValueError if it does not fit."""
        for steps in self.steps:
            try:
                scene = paths.changed(scene, steps, lambda old: combined(self.how, old, value))
            except ValueError as error:
                raise ValueError(f"draw.{self.name}: {error}") from None
        return scene


def combined(how: str, old: Any, value: Any) -> Any:
    """Return the new value of a key: `value` itself, or the old value with an offset or a factor.

    >>> combined("factor", [1.0, 2.0], 3.0)
    [3.0, 6.0]
    """
    if how == "value":
        return value
    if old is None:
        raise ValueError(f"the scene has no value here to which the {how} could be applied: write a value into the "
                         f"scene")
    return paths.each_number(old, (lambda x: x + value) if how == "offset" else (lambda x: x * value))


def read_draw(name: str, table: Table) -> Draw:
    """Read one table [draw.NAME]. A ValueError has the key's path, the value and what is allowed."""
    tables.name(table.path, name)
    path = table.take("path", lambda at, value: tables.listing(tables.text)(at, [value] if isinstance(value, str)
                                                                            else value))
    steps = tuple(paths.parse(table.at("path"), one) for one in path)
    if not steps:
        tables.fail(table.at("path"), [], "must be a path into the scene, or a list of them")
    how = table.take("as", tables.choice(HOW), "value")
    unit = table.take("unit", tables.text, "")
    kind = table.take("distribution", tables.choice((*DISTRIBUTIONS, "constant")))
    quantile = DISTRIBUTIONS[kind](table) if kind in DISTRIBUTIONS else None
    constant = None if quantile else table.take("value", _plain)
    table.finish()
    return Draw(name, steps, how, unit, quantile, constant)


def _plain(path: str, value: Any) -> Any:
    """Return a number, a string or a boolean unchanged; the scene's own reader checks it later."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return tables.integer(-(2**63), 2**63 - 1)(path, value)
    return tables.number()(path, value)


def _uniform(table: Table) -> Quantile:
    low, high = table.take("low", tables.number()), table.take("high", tables.number())
    if not low < high:
        tables.fail(table.at("high"), high, f"must be greater than low = {low:g}")
    return lambda u: np.clip(low + (high - low) * u, low, high)


def _log_uniform(table: Table) -> Quantile:
    low, high = table.take("low", _POSITIVE), table.take("high", _POSITIVE)
    if not low < high:
        tables.fail(table.at("high"), high, f"must be greater than low = {low:g}")
    return lambda u: np.clip(low * np.exp(u * np.log(high / low)), low, high)


def _normal(table: Table) -> Quantile:
    """x = mean + std Phi^-1(u). The bounds low and high, if given, limit u to the range between Phi of both."""
    from scipy.special import ndtr, ndtri

    mean, std = table.take("mean", tables.number()), table.take("std", _POSITIVE)
    low, high = (table.take(key, tables.number(), limit) for key, limit in (("low", -np.inf), ("high", np.inf)))
    p_low, p_high = float(ndtr((low - mean) / std)), float(ndtr((high - mean) / std))
    if not p_low < p_high:
        tables.fail(table.at("high"), high, f"must leave a range with a probability above zero over low = {low:g}")
    return lambda u: np.clip(mean + std * ndtri(np.clip(p_low + (p_high - p_low) * u, _EDGE, 1 - _EDGE)), low, high)


def _lognormal(table: Table) -> Quantile:
    """x = median exp(sigma Phi^-1(u)): sigma is the standard deviation of ln x."""
    from scipy.special import ndtri

    median, sigma = table.take("median", _POSITIVE), table.take("sigma", _POSITIVE)
    return lambda u: median * np.exp(sigma * ndtri(np.clip(u, _EDGE, 1 - _EDGE)))


def _choice(table: Table) -> Quantile:
    """One of several options, the first for the lowest u; probabilities are proportional to the weights."""
    options = table.take("options", tables.listing(_plain))
    kinds = {type(option) for option in options}
    if kinds == {int, float}:  # a column of results has one kind
        options, kinds = tuple(map(float, options)), {float}
    if len(kinds) != 1:
        tables.fail(table.at("options"), list(options), "must have at least one option, and all must have one type")
    weights = table.take("weights", tables.listing(tables.number(0.0), len(options)), (1.0,) * len(options))
    if not sum(weights) > 0:
        tables.fail(table.at("weights"), list(weights), "at least one weight must be greater than zero")
    ends = np.cumsum(weights) / sum(weights)
    last = max(i for i, weight in enumerate(weights) if weight > 0)
    return lambda u: [options[min(i, last)] for i in np.searchsorted(ends, u, side="right")]


DISTRIBUTIONS: dict[str, Callable[[Table], Quantile]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "choice": _choice,
}


def sample(draws: Sequence[Draw], runs: int, sampling: str, seed: int) -> dict[str, list[Any]]:
    """Return the values of every draw for every run. They depend on the seed alone.

    >>> spread = Draw("x", (("a",),), "value", "", lambda u: 10 * u)
    >>> values = sample([spread], 5, "latin_hypercube", 1)["x"]
    >>> [int(value // 2) for value in sorted(values)]    # one in each fifth
    [0, 1, 2, 3, 4]
    """
    spread = [draw for draw in draws if draw.quantile is not None]
    u = iter(_unit_cube(len(spread), runs, sampling, seed).T)
    return {draw.name: [_number(value) for value in draw.quantile(next(u))] if draw.quantile is not None
            else [draw.constant] * runs for draw in draws}


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _unit_cube(dimensions: int, runs: int, sampling: str, seed: int) -> Floats:
    """Points (runs, dimensions) in [0, 1); those of "morris" also have 1."""
    import warnings

    from scipy.stats import qmc

    random = np.random.default_rng(seed)
    if sampling == "morris":
        return morris.trajectories(dimensions, runs, random)
    if dimensions == 0 or sampling == "random":
        return random.random((runs, dimensions))
    if sampling == "latin_hypercube":
        return np.asarray(qmc.LatinHypercube(dimensions, rng=random).random(runs))
    if dimensions > qmc.Sobol.MAXDIM:
        raise ValueError(f"campaign.sampling = 'sobol': {dimensions} draws are more than {qmc.Sobol.MAXDIM}")
    with warnings.catch_warnings():  # it is balanced for powers of two alone, which the guide says
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(qmc.Sobol(dimensions, scramble=True, rng=random).random(runs))
