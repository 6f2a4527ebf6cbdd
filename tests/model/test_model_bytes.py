"""A scene has the same model bytes on every processor: no step from file to bytes asks a library with variants."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "contactlib"
#: what leads from a scene to the bytes of its model
ROOMS = ("berthing", "common", "elements", "model", "pcm", "shapes")
#: exact, or rounded in one way only
EXACT = {"pi", "inf", "nan", "sqrt", "radians", "degrees", "floor", "ceil", "isfinite", "isnan", "isinf", "copysign"}
#: numpy has variants of these for several processors, or gives them to a BLAS that has
VARIANTS = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log",
    "log2", "log10", "log1p", "power", "float_power", "cbrt", "hypot", "dot", "vdot", "inner", "matmul", "tensordot",
    "einsum", "linalg", "convolve", "correlate", "interp", "polyfit", "polyval", "cov", "corrcoef",
}  # fmt: skip
NUMPY = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
#: environments in which libraries take this processor for another one
PROCESSORS = {
    "without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F", "NPY_DISABLE_CPU_FEATURES": NUMPY,
                    "OPENBLAS_CORETYPE": "Prescott"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
}  # fmt: skip
SCRIPT = """if True:
    import hashlib, warnings
    from dataclasses import replace

    import numpy as np

    import contactlib
    from contactlib.model.spec import SCENES
    from tests.support.every_element import SPECS

    warnings.simplefilter("ignore")  # of meshes that are open
    specs = {path.parent.name: contactlib.load(path.parent.name) for path in sorted(SCENES.glob("*/scene.toml"))}
    specs |= {f"every element: {name}": spec() if callable(spec) else spec for name, spec in SPECS.items()}
    for name, spec in specs.items():
        print(hashlib.sha256(spec.compile().to_bytes()).hexdigest(), name)
    points = np.random.default_rng(0).normal(size=(300, 3))
    hull = contactlib.Polyhedron.hull_of(points)
    properties = hull.mass_properties(1000.0)
    print(hashlib.sha256(hull.corners.tobytes() + properties.com.tobytes() + properties.inertia.tobytes()).hexdigest())
"""


def hashes(environment):
    done = subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, **environment}, cwd=PACKAGE.parent,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def here():
    found = hashes({})
    assert len(found) > 18
    return found


@pytest.mark.parametrize("processor", PROCESSORS)
def test_model_bytes_do_not_depend_on_the_processor(processor, here):
    assert hashes(PROCESSORS[processor]) == here


def uses(tree):
    """Where a module multiplies by BLAS, raises to a power, or names a function with variants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if not all(isinstance(side, ast.Constant) and isinstance(side.value, int) for side in (node.left, node.right)):
                yield node.lineno, "**"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module, name = node.value.id, node.attr
            if (module == "math" and name not in EXACT) or (module == "np" and name in VARIANTS) or module == "cmath":
                yield node.lineno, f"{module}.{name}"


@pytest.mark.parametrize("path", [path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))],
                         ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_names_a_function_with_variants(path):
    assert list(uses(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_the_search_finds_what_it_looks_for():
    source = "import numpy as np\na @ b\nx**2\nnp.linalg.norm(a)\nnp.arctan2(a, b)\nmath.sin(x)\nmath.sqrt(x)\n2**31\n"
    assert [name for _, name in sorted(uses(ast.parse(source)))] == ["@", "**", "np.linalg", "np.arctan2", "math.sin"]
