"""Elementary functions of the core: accuracy against mpmath, special values of C99 (annex F), and their tables.

CONTACTLIB_SOAK multiplies the number of arguments: 250 makes a million of each function.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest

from contactlib._core import engine
from contactlib.common import elementary

COUNT = 4000 * int(os.environ.get("CONTACTLIB_SOAK", "1"))
MATH = Path(__file__).parents[2] / "contactlib" / "core" / "math"
#: bound of the error, ulp. In the comments: the worst of a million arguments, against __float128 of libquadmath.
BOUNDS = {
    "sin": 0.78,  # 0.748
    "cos": 0.79,  # 0.774
    "tan": 0.68,  # 0.646
    "asin": 0.51,  # 0.501
    "acos": 0.51,  # 0.501
    "atan": 0.51,  # 0.501
    "atan2": 0.51,  # 0.500
    "exp": 0.55,  # 0.528
    "expm1": 0.65,  # 0.607
    "log": 0.51,  # 0.500
    "log1p": 0.51,  # 0.500
    "pow": 0.55,  # 0.531
    "cbrt": 0.51,  # 0.500
    "hypot": 0.76,  # 0.750, of subnormal numbers, which are rounded twice: 1/2 + 1/4
}
LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
INF, NAN = math.inf, math.nan
Draws = Callable[[np.random.Generator, int], np.ndarray]

mpmath.mp.prec = 140


# ---- arguments -------------------------------------------------------------------------------------


def any_double(rng, n):
    """Finite doubles with random bits: all magnitudes, also subnormal ones."""
    x = rng.integers(0, 1 << 64, 2 * n + 40, dtype=np.uint64).view(np.float64)
    return x[np.isfinite(x)][:n]


def magnitudes(low, high):
    """Doubles of both signs whose logarithm to base 2 is uniform."""
    return lambda rng, n: rng.choice([-1.0, 1.0], n) * np.exp2(rng.uniform(low, high, n))


def uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def near_multiples(rng, n):
    """The double nearest to k pi/2 and its neighbours, for k up to 2^60."""
    half_pi = mpmath.pi / 2
    x = np.array([float(half_pi * int(k)) for k in np.exp2(rng.uniform(0, 60, n))])
    for _ in range(2):
        x = np.nextafter(x, rng.choice([0.0, np.inf], n))
    return x * rng.choice([-1.0, 1.0], n)


def near(center, low, high):
    """Numbers at a distance of 2^low to 2^high from a number."""
    return lambda rng, n: center + magnitudes(low, high)(rng, n)


def below_one(rng, n):
    return rng.choice([-1.0, 1.0], n) * (1.0 - np.exp2(rng.uniform(-53, -1, n)))


def positive(draws):
    return lambda rng, n: np.abs(draws(rng, n))


def where(draws, allowed):
    """Draws for which a condition holds; the others are replaced by 0.5."""

    def draw(rng, n):
        x = draws(rng, n)
        return np.where(allowed(x), x, 0.5)

    return draw


TRIG = (any_double, uniform(-3.2, 3.2), uniform(-0.8, 0.8), near_multiples, magnitudes(-30, 22), magnitudes(0, 90))
UNIT = (uniform(-1, 1), magnitudes(-60, 0), below_one, uniform(-0.1, 0.1))
EXP = (uniform(-745.2, 709.7), uniform(-1, 1), magnitudes(-60, 9), uniform(-745.2, -700), uniform(709, 709.782))
OF_ONE: dict[str, tuple[Callable, tuple[Draws, ...]]] = {
    "sin": (mpmath.sin, TRIG),
    "cos": (mpmath.cos, TRIG),
    "tan": (mpmath.tan, TRIG),
    "asin": (mpmath.asin, UNIT),
    "acos": (mpmath.acos, UNIT),
    "atan": (mpmath.atan, (any_double, uniform(-4, 4), magnitudes(-30, 10))),
    "exp": (mpmath.exp, EXP),
    "expm1": (mpmath.expm1, EXP),
    "log": (mpmath.log, (positive(any_double), uniform(0.5, 2), near(1.0, -53, -1), uniform(1e-320, 1e-307))),
    "log1p": (mpmath.log1p, (where(any_double, lambda x: x > -1), uniform(-0.99, 2), magnitudes(-60, -0.01),
                             lambda rng, n: np.exp2(rng.uniform(-53, 0, n)) - 1.0)),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (any_double, uniform(-8, 8), uniform(0, 1e-307))),
}  # fmt: skip


def two(first, second):
    return lambda rng, n: (first(rng, n), second(rng, n))


def scaled_pairs(low, high):
    """Two numbers of any magnitude, the second 2^low to 2^high times the first."""

    def draw(rng, n):
        x = any_double(rng, n)
        with np.errstate(over="ignore", under="ignore"):
            y = x * magnitudes(low, high)(rng, n)
        return np.where(np.isfinite(y), y, 1.0), x

    return draw


def powers(bases):
    """Bases and exponents whose power lies anywhere between the smallest and the largest double."""

    def draw(rng, n):
        x = bases(rng, n)
        logarithm = np.log1p(x - 1.0) if np.abs(x - 1.0).max() < 0.5 else np.log(x)
        return x, rng.uniform(-745, 709.7, n) / np.where(logarithm == 0.0, 1.0, logarithm)

    return draw


def whole_powers(rng, n):
    x, y = -np.floor(rng.uniform(1, 100, n)), np.floor(rng.uniform(-140, 140, n))
    return x, y


SUBNORMAL = uniform(1e-320, 2e-308)
OF_TWO = {
    "atan2": (mpmath.atan2, (two(any_double, any_double), two(uniform(-1, 1), uniform(-1, 1)), scaled_pairs(-60, 60),
                             two(magnitudes(-40, 40), magnitudes(-40, 40)), two(SUBNORMAL, SUBNORMAL))),
    "pow": (mpmath.power, (powers(positive(any_double)), two(uniform(0.01, 3), uniform(-20, 20)),
                           powers(near(1.0, -50, -3)), whole_powers, two(SUBNORMAL, uniform(-0.9, 1.04)),
                           two(positive(magnitudes(-10, 10)), uniform(1, 3)))),
    "hypot": (mpmath.hypot, (two(any_double, any_double), two(uniform(-1, 1), uniform(-1, 1)), scaled_pairs(-30, 0),
                             two(SUBNORMAL, SUBNORMAL))),
}  # fmt: skip


# ---- accuracy --------------------------------------------------------------------------------------


def error(got, want):
    """The distance from the exact value in ulp, the spacing of doubles at that value."""
    if abs(want) >= mpmath.mpf(2) ** 1024 * (1 - mpmath.mpf(2) ** -54):  # rounds to infinity
        return 0.0 if got == math.copysign(INF, want) else INF
    exponent = mpmath.frexp(want)[1] - 53 if want else -1074
    return float(abs(mpmath.mpf(got) - want) / mpmath.mpf(2) ** max(exponent, -1074)) if math.isfinite(got) else INF


def worst(name, truth, families):
    """The worst error over all families of arguments, and where it is. Without zeros, whose sign mpmath does not know;
    the tests of special values have them."""
    rng = np.random.default_rng(len(name))
    found = (0.0, ())
    for draws in families:
        drawn = draws(rng, -(-COUNT // len(families)))
        columns = drawn if isinstance(drawn, tuple) else (drawn,)
        values = engine.elementary(name, *columns)
        for got, *arguments in zip(values.tolist(), *(column.tolist() for column in columns), strict=True):
            if all(arguments):
                found = max(found, (error(got, truth(*map(mpmath.mpf, arguments))), tuple(map(float.hex, arguments))))
    return found


@pytest.mark.parametrize("name", OF_ONE)
def test_accuracy_of_functions_of_one_number(name):
    wrong, at = worst(name, *OF_ONE[name])
    print(f"{name}: {wrong:.4f} ulp at {at}")
    assert wrong <= BOUNDS[name], at


@pytest.mark.parametrize("name", OF_TWO)
def test_accuracy_of_functions_of_two_numbers(name):
    wrong, at = worst(name, *OF_TWO[name])
    print(f"{name}: {wrong:.4f} ulp at {at}")
    assert wrong <= BOUNDS[name], at


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_the_double_nearest_to_a_multiple_of_half_pi(name):
    """6381956970095103 2^797 is 2^-61 from such a multiple (J.-M. Muller, "Elementary functions", chapter 11)."""
    x = 6381956970095103.0 * 2.0**797
    with mpmath.workprec(1200):
        want = getattr(mpmath, name)(mpmath.mpf(x))
    assert error(float(engine.elementary(name, x)), want) <= BOUNDS[name]


def test_sin_is_odd_and_cos_is_even():
    x = np.concatenate([draws(np.random.default_rng(1), 500) for draws in TRIG])
    for name, sign in (("sin", -1.0), ("cos", 1.0), ("tan", -1.0)):
        assert (engine.elementary(name, -x) == sign * engine.elementary(name, x)).all()


# ---- exact functions -------------------------------------------------------------------------------

EXACT = {
    "fmod": (np.fmod, 2),
    "remainder": (np.vectorize(lambda x, y: math.remainder(x, y) if math.isfinite(x) and y != 0.0 else NAN), 2),
    "nextafter": (np.nextafter, 2),
    "fmax": (np.fmax, 2),
    "fmin": (np.fmin, 2),
    "floor": (np.floor, 1),
    "ceil": (np.ceil, 1),
    "trunc": (np.trunc, 1),
}
ODD_ONES = np.array([0.0, -0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 16.0, 17.0, 2.0**51 + 0.5, 2.0**52, 2.0**53, SMALLEST, LARGEST,
                     2.0**-1022, INF, NAN])


def same(a, b):
    """Equal values of equal sign, or both nan."""
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


@pytest.mark.parametrize("name", EXACT)
def test_exact_functions(name):
    reference, arguments = EXACT[name]
    rng = np.random.default_rng(9)
    both = np.concatenate([ODD_ONES, -ODD_ONES])
    x, y = (grid.ravel() for grid in np.meshgrid(both, both))
    halves = np.floor(rng.uniform(-40, 40, (2, COUNT))) / 2
    x = np.concatenate([x, any_double(rng, COUNT), rng.uniform(-100, 100, COUNT), halves[0]])
    y = np.concatenate([y, any_double(rng, COUNT), rng.uniform(-10, 10, COUNT), halves[1]])
    if name in ("fmax", "fmin"):  # C leaves the sign open where both are zero
        keep = (x != 0.0) | (y != 0.0)
        x, y = x[keep], y[keep]
    given = (x, y)[:arguments]
    with np.errstate(all="ignore"):
        assert same(engine.elementary(name, *given), reference(*given)).all()


def test_the_larger_of_two_zeros_is_positive():
    assert math.copysign(1.0, engine.elementary("fmax", -0.0, 0.0)) == 1.0
    assert math.copysign(1.0, engine.elementary("fmax", 0.0, -0.0)) == 1.0
    assert math.copysign(1.0, engine.elementary("fmin", -0.0, 0.0)) == -1.0
    assert math.copysign(1.0, engine.elementary("fmin", 0.0, -0.0)) == -1.0


# ---- special values --------------------------------------------------------------------------------

PI = math.pi
SPECIAL = [  # C99, annex F.9: function, arguments, value
    ("sin", (0.0,), 0.0), ("sin", (-0.0,), -0.0), ("sin", (INF,), NAN), ("sin", (-INF,), NAN), ("sin", (NAN,), NAN),
    ("sin", (SMALLEST,), SMALLEST), ("sin", (-1e-310,), -1e-310),
    ("cos", (0.0,), 1.0), ("cos", (-0.0,), 1.0), ("cos", (INF,), NAN), ("cos", (-INF,), NAN), ("cos", (NAN,), NAN),
    ("tan", (0.0,), 0.0), ("tan", (-0.0,), -0.0), ("tan", (INF,), NAN), ("tan", (-INF,), NAN), ("tan", (NAN,), NAN),
    ("tan", (-SMALLEST,), -SMALLEST),
    ("asin", (0.0,), 0.0), ("asin", (-0.0,), -0.0), ("asin", (1.0,), PI / 2), ("asin", (-1.0,), -PI / 2),
    ("asin", (1.0000000000000002,), NAN), ("asin", (-INF,), NAN), ("asin", (NAN,), NAN),
    ("asin", (SMALLEST,), SMALLEST),
    ("acos", (1.0,), 0.0), ("acos", (-1.0,), PI), ("acos", (0.0,), PI / 2), ("acos", (-0.0,), PI / 2),
    ("acos", (-1.0000000000000002,), NAN), ("acos", (INF,), NAN), ("acos", (NAN,), NAN),
    ("atan", (0.0,), 0.0), ("atan", (-0.0,), -0.0), ("atan", (INF,), PI / 2), ("atan", (-INF,), -PI / 2),
    ("atan", (NAN,), NAN), ("atan", (SMALLEST,), SMALLEST), ("atan", (1.0,), PI / 4), ("atan", (LARGEST,), PI / 2),
    ("atan2", (0.0, -0.0), PI), ("atan2", (-0.0, -0.0), -PI), ("atan2", (0.0, 0.0), 0.0), ("atan2", (-0.0, 0.0), -0.0),
    ("atan2", (0.0, -1.0), PI), ("atan2", (-0.0, -1.0), -PI), ("atan2", (0.0, 1.0), 0.0), ("atan2", (-0.0, 1.0), -0.0),
    ("atan2", (-1.0, 0.0), -PI / 2), ("atan2", (-1.0, -0.0), -PI / 2), ("atan2", (1.0, 0.0), PI / 2),
    ("atan2", (1.0, -INF), PI), ("atan2", (-1.0, -INF), -PI), ("atan2", (1.0, INF), 0.0), ("atan2", (-1.0, INF), -0.0),
    ("atan2", (INF, 1.0), PI / 2), ("atan2", (-INF, 1.0), -PI / 2), ("atan2", (INF, -INF), 3 * PI / 4),
    ("atan2", (-INF, -INF), -3 * PI / 4), ("atan2", (INF, INF), PI / 4), ("atan2", (-INF, INF), -PI / 4),
    ("atan2", (NAN, 1.0), NAN), ("atan2", (1.0, NAN), NAN), ("atan2", (0.0, NAN), NAN), ("atan2", (INF, NAN), NAN),
    ("atan2", (SMALLEST, LARGEST), 0.0), ("atan2", (LARGEST, -SMALLEST), PI / 2), ("atan2", (SMALLEST, -1.0), PI),
    ("exp", (0.0,), 1.0), ("exp", (-0.0,), 1.0), ("exp", (-INF,), 0.0), ("exp", (INF,), INF), ("exp", (NAN,), NAN),
    ("exp", (709.7827128933841,), INF), ("exp", (-745.1332191019412,), 0.0), ("exp", (-745.13321910194,), SMALLEST),
    ("exp", (LARGEST,), INF), ("exp", (-LARGEST,), 0.0), ("exp", (SMALLEST,), 1.0),
    ("expm1", (0.0,), 0.0), ("expm1", (-0.0,), -0.0), ("expm1", (-INF,), -1.0), ("expm1", (INF,), INF),
    ("expm1", (NAN,), NAN), ("expm1", (SMALLEST,), SMALLEST), ("expm1", (709.7827128933841,), INF),
    ("log", (0.0,), -INF), ("log", (-0.0,), -INF), ("log", (1.0,), 0.0), ("log", (-1.0,), NAN), ("log", (INF,), INF),
    ("log", (-INF,), NAN), ("log", (NAN,), NAN), ("log", (-SMALLEST,), NAN),
    ("log1p", (0.0,), 0.0), ("log1p", (-0.0,), -0.0), ("log1p", (-1.0,), -INF), ("log1p", (-1.0000000000000002,), NAN),
    ("log1p", (INF,), INF), ("log1p", (NAN,), NAN), ("log1p", (-INF,), NAN), ("log1p", (-SMALLEST,), -SMALLEST),
    ("pow", (0.0, -3.0), INF), ("pow", (-0.0, -3.0), -INF), ("pow", (0.0, -2.0), INF), ("pow", (-0.0, -2.0), INF),
    ("pow", (-0.0, -2.5), INF), ("pow", (0.0, 3.0), 0.0), ("pow", (-0.0, 3.0), -0.0), ("pow", (-0.0, 2.0), 0.0),
    ("pow", (-0.0, 0.5), 0.0), ("pow", (-1.0, INF), 1.0), ("pow", (-1.0, -INF), 1.0), ("pow", (1.0, NAN), 1.0),
    ("pow", (1.0, INF), 1.0), ("pow", (NAN, 0.0), 1.0), ("pow", (NAN, -0.0), 1.0), ("pow", (INF, 0.0), 1.0),
    ("pow", (-2.0, 0.5), NAN), ("pow", (-LARGEST, 1.5), NAN), ("pow", (0.5, -INF), INF), ("pow", (-0.5, -INF), INF),
    ("pow", (2.0, -INF), 0.0), ("pow", (0.5, INF), 0.0), ("pow", (2.0, INF), INF), ("pow", (-INF, -3.0), -0.0),
    ("pow", (-INF, -2.0), 0.0), ("pow", (-INF, 3.0), -INF), ("pow", (-INF, 2.0), INF), ("pow", (INF, -1.0), 0.0),
    ("pow", (INF, 0.5), INF), ("pow", (NAN, 1.0), NAN), ("pow", (2.0, NAN), NAN), ("pow", (-1.0, 3.0), -1.0),
    ("pow", (-1.0, LARGEST), 1.0), ("pow", (2.0, 1024.0), INF), ("pow", (-2.0, 1025.0), -INF),
    ("pow", (2.0, -1074.0), SMALLEST),
    ("pow", (2.0, -1076.0), 0.0), ("pow", (-2.0, -1077.0), -0.0), ("pow", (LARGEST, LARGEST), INF),
    ("pow", (0.5, 1e300), 0.0),
    ("pow", (1.0000000000000002, SMALLEST), 1.0), ("pow", (-3.0, 9007199254740993.0), INF), ("pow", (3.0, 2.0), 9.0),
    ("cbrt", (0.0,), 0.0), ("cbrt", (-0.0,), -0.0), ("cbrt", (INF,), INF), ("cbrt", (-INF,), -INF),
    ("cbrt", (NAN,), NAN),
    ("cbrt", (27.0,), 3.0), ("cbrt", (-1e-300,), -1e-100),
    ("hypot", (INF, NAN), INF), ("hypot", (NAN, -INF), INF), ("hypot", (-INF, 1.0), INF), ("hypot", (NAN, 1.0), NAN),
    ("hypot", (0.0, -0.0), 0.0), ("hypot", (-3.0, 0.0), 3.0), ("hypot", (3.0, 4.0), 5.0),
    ("hypot", (LARGEST, LARGEST), INF),
    ("hypot", (SMALLEST, 0.0), SMALLEST), ("hypot", (3e300, 4e300), 5e300),
    ("hypot", (3 * SMALLEST, 4 * SMALLEST), 5 * SMALLEST),
    ("fmod", (INF, 1.0), NAN), ("fmod", (1.0, 0.0), NAN), ("fmod", (-0.0, 1.0), -0.0), ("fmod", (-1.0, INF), -1.0),
    ("remainder", (INF, 1.0), NAN), ("remainder", (1.0, -0.0), NAN), ("remainder", (-4.0, 2.0), -0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "value"), SPECIAL, ids=lambda value: str(value))
def test_special_values(name, arguments, value):
    got = engine.elementary(name, *arguments)
    assert same(got, np.array(value)), float(got)


# ---- tables ----------------------------------------------------------------------------------------


def doubles(text):
    """All hexadecimal numbers, and zeros, of rows in braces."""
    rows = re.findall(r"^\s*\{([-0-9a-fx.p+, ]+)\},", text, re.MULTILINE)
    return [[float.fromhex(number) for number in row.split(",")] for row in rows]


def test_table_of_logarithms():
    rows = doubles((MATH / "log_table.hpp").read_text(encoding="utf-8"))
    assert len(rows) == 129
    for j, (inverse, high, low) in enumerate(rows):
        center = (1.0 + j / 128.0) * (0.5 if j >= 53 else 1.0)
        assert inverse == round(256.0 / center) / 256.0
        logarithm = -mpmath.log(mpmath.mpf(inverse))
        assert high == float(mpmath.nint(logarithm * 2**42)) / 2.0**42
        assert low == float(logarithm - mpmath.mpf(high))


def test_table_of_arcs():
    rows = doubles((MATH / "inverse_trigonometric.cpp").read_text(encoding="utf-8"))
    assert len(rows) == 17
    for k, (high, low) in enumerate(rows):
        arc = mpmath.atan(mpmath.mpf(k) / 16)
        assert high == float(arc) and low == float(arc - mpmath.mpf(high))


def test_digits_of_two_over_pi():
    text = (MATH / "angle_reduction.cpp").read_text(encoding="utf-8")
    table = text.partition("digits_of_two_over_pi[words] = {")[2].partition("}")[0]
    words = [int(word, 16) for word in re.findall(r"0x([0-9a-f]{8})u", table)]
    assert len(words) == 42
    with mpmath.workprec(1600):
        assert sum(word << 32 * (41 - i) for i, word in enumerate(words)) == int(2 / mpmath.pi * 2**1280)


# ---- Python ----------------------------------------------------------------------------------------


def test_names_and_shapes_are_checked():
    with pytest.raises(ValueError, match="no elementary function 'sinh'"):
        engine.elementary("sinh", 1.0)
    with pytest.raises(ValueError, match="pow needs two arguments"):
        engine.elementary("pow", 1.0)
    with pytest.raises(ValueError, match="sin needs one argument"):
        engine.elementary("sin", 1.0, 2.0)
    with pytest.raises(ValueError, match="must have one shape"):
        engine.elementary("hypot", [1.0, 2.0], [1.0])
    assert engine.elementary("sin", np.zeros((2, 3)).T).shape == (3, 2)
    assert engine.elementary("sin", 0.5).shape == ()
    assert engine.elementary("pow", [], []).shape == (0,)


def test_python_asks_the_core():
    assert elementary.hypot(2.0, -3.0, 6.0) == 7.0
    assert elementary.power(2.0, 0.5) == float(engine.elementary("pow", 2.0, 0.5))
    for name in ("sin", "cos", "tan", "acos"):
        assert getattr(elementary, name)(0.7) == float(engine.elementary(name, 0.7))
    assert elementary.atan2(-1.0, -2.0) == float(engine.elementary("atan2", -1.0, -2.0))
    assert elementary.angles(np.array([1.0, -1.0]), np.array([1.0, -1.0])).tolist() == [PI / 4, -3 * PI / 4]
