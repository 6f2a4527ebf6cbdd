"""Metrics reduce a run to numbers; each is a small expression over the recorded variables.

Python's parser reads an expression such as "max(norm(wheel.f))". The tables below say what is allowed: names of
variables, numbers, + - * / and some functions. Nothing else is evaluated.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables

Floats = NDArray[np.float64]
Values = Mapping[str, Any]

#: kinds of expressions: a number in the file, a number of the run, a number over time, several numbers over time
CONSTANT, NUMBER, SIGNAL, VECTOR = "constant", "number", "signal", "vector"
#: most characters of an expression; Python's parser fails at far deeper nesting only
LONGEST = 500
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}


@dataclass(frozen=True)
class Node:
    """A checked piece of an expression: its kind, its function, and the variables that it reads."""

    kind: str
    compute: Callable[[Values], Any]
    reads: frozenset[str] = frozenset()
    size: int = 1


@dataclass(frozen=True)
class Function:
    """A function in expressions: kinds of its arguments and its result. `compute` receives the time (s) first."""

    arguments: tuple[str, ...]
    result: str
    compute: Callable[..., Any]
    text: str


def _norm(_time: Floats, x: Floats) -> Floats:
    # component by component: the bits do not depend on NumPy's order of summation
    total = x[0] * x[0]
    for component in x[1:]:
        total = total + component * component
    return np.asarray(np.sqrt(total))


def _angle(_time: Floats, q: Floats) -> Floats:
    """Angle of q(0)^-1 q(t), from 0 to pi."""
    w = q[0, 0] * q[0] + q[1, 0] * q[1] + q[2, 0] * q[2] + q[3, 0] * q[3]
    x, y, z = (q[0, 0] * q[i] - q[i, 0] * q[0] - (q[j, 0] * q[k] - q[k, 0] * q[j])
               for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)))
    return np.asarray(2 * np.arctan2(np.sqrt(x * x + y * y + z * z), np.abs(w)))


def _settling_time(time: Floats, x: Floats, target: float, band: float) -> float:
    outside = np.flatnonzero(~(np.abs(x - target) <= band))
    if not outside.size:
        return 0.0
    return float(time[outside[-1] + 1] - time[0]) if outside[-1] + 1 < len(x) else math.inf


def _first_time(time: Floats, x: Floats, level: float) -> float:
    above = np.flatnonzero(x > level)
    return float(time[above[0]] - time[0]) if above.size else math.inf


def _integral(time: Floats, x: Floats) -> float:
    """Trapezoidal rule; the sum is exact and rounded once."""
    return math.fsum(((time[1:] - time[:-1]) * (x[1:] + x[:-1]) / 2).tolist())


def _time_above(time: Floats, x: Floats, level: float) -> float:
    return math.fsum((time[1:] - time[:-1])[x[1:] > level].tolist())


FUNCTIONS: dict[str, Function] = {
    "norm": Function((VECTOR,), SIGNAL, _norm, "length of a vector"),
    "angle": Function((VECTOR,), SIGNAL, _angle, "rad by which a quaternion has turned since the start"),
    "abs": Function((SIGNAL,), SIGNAL, lambda t, x: np.abs(x), "absolute value"),
    "max": Function((SIGNAL,), NUMBER, lambda t, x: x.max(), "greatest value"),
    "min": Function((SIGNAL,), NUMBER, lambda t, x: x.min(), "least value"),
    "range": Function((SIGNAL,), NUMBER, lambda t, x: x.max() - x.min(), "greatest minus least value"),
    "initial": Function((SIGNAL,), NUMBER, lambda t, x: x[0], "first value"),
    "final": Function((SIGNAL,), NUMBER, lambda t, x: x[-1], "last value"),
    "mean": Function((SIGNAL,), NUMBER, lambda t, x: math.fsum(x.tolist()) / len(x), "mean of the recorded rows"),
    "percentile": Function((SIGNAL, CONSTANT), NUMBER, lambda t, x, p: np.percentile(x, p),
                           "value below which so many per cent of the recorded rows lie"),
    "integral": Function((SIGNAL,), NUMBER, _integral, "over time"),
    "settling_time": Function((SIGNAL, CONSTANT, CONSTANT), NUMBER, _settling_time,
                              "s until the value stays within a band on both sides of a target; inf if it never does"),
    "first_time": Function((SIGNAL, CONSTANT), NUMBER, _first_time,
                           "s until the value is above a level; inf if it never is"),
    "time_above": Function((SIGNAL, CONSTANT), NUMBER, _time_above, "s during which the value is above a level"),
}


class Reader:
    """Reads expressions over known names. A ValueError has the expression's path, its text and what is allowed."""

    def __init__(self, path: str, text: str, names: Mapping[str, str], functions: Mapping[str, Function]) -> None:
        self.path, self.text, self.names, self.functions = path, text, names, functions

    def tree(self) -> ast.expr:
        if len(self.text) > LONGEST:
            self.fail(f"is longer than {LONGEST} characters")
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.fail(f"is not an expression: {getattr(error, 'msg', None) or error}")

    def fail(self, allowed: str) -> NoReturn:
        tables.fail(self.path, self.text, allowed)

    def node(self, tree: ast.expr) -> Node:
        """Check a piece of the expression and return it as a Node."""
        if isinstance(tree, ast.Constant):
            return self._constant(tree.value)
        if isinstance(tree, ast.Name | ast.Attribute | ast.Subscript):
            return self._variable(ast.unparse(tree))
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
            return self._signed(self.node(tree.operand), -1.0 if isinstance(tree.op, ast.USub) else 1.0)
        if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
            return self._binary(_OPERATORS[type(tree.op)], self.node(tree.left), self.node(tree.right))
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            return self._call(tree.func.id, [self.node(argument) for argument in tree.args])
        self.fail(f"'{ast.unparse(tree)}' is not allowed: use only names, numbers, + - * / and "
                  f"{', '.join(self.functions) or 'comparisons'}")

    def _constant(self, value: Any) -> Node:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e300:
            self.fail(f"{value!r} is not a finite number")
        number = float(value)
        return Node(CONSTANT, lambda values: number)

    def _variable(self, name: str) -> Node:
        if name in self.names:
            return Node(self.names[name], lambda values: values[name], frozenset((name,)))
        parts: list[str] = []
        while f"{name}[{len(parts) + 1}]" in self.names:
            parts.append(f"{name}[{len(parts) + 1}]")
        if not parts:
            known = {*self.names, *(known.partition("[")[0] for known in self.names)}
            self.fail(f"there is no variable '{name}'; {tables.hint(name, sorted(known))}")
        return Node(VECTOR, lambda values: np.stack([values[part] for part in parts]), frozenset(parts), len(parts))

    def _signed(self, node: Node, sign: float) -> Node:
        return Node(node.kind, lambda values: sign * node.compute(values), node.reads, node.size)

    def _binary(self, operator: Callable[[Any, Any], Any], a: Node, b: Node) -> Node:
        added, scaled = operator in (np.add, np.subtract), operator is np.multiply
        if VECTOR in (a.kind, b.kind) and not (a.size == b.size if added else
                                               {a.kind, b.kind} & {CONSTANT, NUMBER} and (scaled or a.kind == VECTOR)):
            self.fail("a vector can be added to a vector of the same length, and multiplied or divided by a number")
        kind = max(a.kind, b.kind, key=(CONSTANT, NUMBER, SIGNAL, VECTOR).index)
        return Node(kind, lambda values: operator(a.compute(values), b.compute(values)), a.reads | b.reads,
                    max(a.size, b.size))

    def _call(self, name: str, arguments: list[Node]) -> Node:
        if name not in self.functions:
            self.fail(f"there is no function '{name}'; {tables.hint(name, self.functions)}")
        function = self.functions[name]
        given = [argument.kind for argument in arguments]
        if len(given) != len(function.arguments) or any(
                have != want for have, want in zip(given, function.arguments, strict=True)):
            self.fail(f"{name}() needs {' and '.join(map(_named, function.arguments))}, "
                      f"not {' and '.join(map(_named, given)) or 'nothing'}")
        if name == "angle" and arguments[0].size != 4:
            self.fail("angle() needs a quaternion, such as wheel.q")
        self._check(name, [argument.compute({}) for argument in arguments if argument.kind == CONSTANT])
        reads = frozenset[str]().union(*(argument.reads for argument in arguments))
        return Node(function.result, lambda values: function.compute(
            values["time"], *(argument.compute(values) for argument in arguments)), reads)

    def _check(self, name: str, constants: list[float]) -> None:
        if name == "percentile" and not 0 <= constants[0] <= 100:
            self.fail(f"percentile() needs a percentage from 0 to 100, not {constants[0]:g}")
        if name == "settling_time" and not constants[1] > 0:
            self.fail(f"settling_time() needs a band greater than zero, not {constants[1]:g}")


def _named(kind: str) -> str:
    return {CONSTANT: "a number", NUMBER: "a result", SIGNAL: "a variable over time", VECTOR: "a vector"}[kind]


@dataclass(frozen=True)
class Metric:
    """A number of a run with the variables that it reads. The unit is only printed."""

    name: str
    text: str
    unit: str
    node: Node

    def of(self, values: Values) -> float:
        """Compute the metric from "time" (s) and the variables over time. ValueError if the result is not a number."""
        with np.errstate(all="ignore"):
            result = float(self.node.compute(values))
        if math.isnan(result):
            raise ValueError(f"metric.{self.name} = '{self.text}': the result of this run is not a number")
        return result


def read_metric(name: str, text: str, unit: str, variables: Mapping[str, str]) -> Metric:
    """Parse one entry of [metric] over a model's variables.

    >>> metric = read_metric("top", "max(abs(ball.r[3]) - 1)", "m", {"ball.r[3]": SIGNAL, "time": SIGNAL})
    >>> metric.of({"time": np.array([0.0, 1.0]), "ball.r[3]": np.array([2.0, -4.0])})
    3.0
    """
    reader = Reader(f"metric.{name}", text, {**variables, "time": SIGNAL}, FUNCTIONS)
    node = reader.node(reader.tree())
    if node.kind != NUMBER:
        reader.fail(f"must be one number for a run, not {_named(node.kind)}: use max(), min(), final() or another "
                    f"function that returns one number")
    return Metric(name, text, unit, node)
