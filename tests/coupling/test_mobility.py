"""The 6 x 6 response against the textbook: a rigid body whose centre of mass is not where the scene has it."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest

from contactlib.fmu.build import eigen_include

CORE = Path(__file__).parents[2] / "contactlib" / "core"
MASS, INERTIA = 8.0, np.array([[1.0, 0.1, -0.2], [0.1, 1.5, 0.05], [-0.2, 0.05, 1.2]])  # of the scene
OFFSET = np.array([0.1, -0.15, 0.2])  # m, true centre of mass from that of the scene


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rigid(mass, inertia, d):
    """The 6 x 6 mass about a point from which the centre of mass is at d: force and torque cause a and w'.

    f = m (a + w' x d),   t = I w' + d x f
    """
    return np.block([[mass * np.eye(3), -mass * skew(d)],
                     [mass * skew(d), inertia - mass * skew(d) @ skew(d)]])


def turned(matrix, R):
    both = np.kron(np.eye(2), R)
    return both @ matrix @ both.T


def blocks(numbers):
    force, mixed, torque = numbers.reshape(3, 3, 3)
    return np.block([[force, mixed], [mixed.T, torque]])


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ here, with which this test builds the response")
    build = tomllib.loads((CORE / "build.toml").read_text())
    program = tmp_path_factory.mktemp("mobility") / "probe"
    sources = [Path(__file__).with_name("mobility_probe.cpp"), CORE / "step/response/mobility.cpp",
               *sorted((CORE / "math").glob("*.cpp"))]
    subprocess.run([compiler, f"-std={build['standard']}", "-O1", f"-I{CORE}", f"-I{eigen_include()}",
                    *(f"-D{name}" for name in build["defines"]), *sources, "-o", program], check=True)

    def run(*numbers):
        text = " ".join(f"{x:.17g}" for x in np.concatenate([np.ravel(x) for x in numbers]))
        out = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
        return np.array(out.split(), dtype=float)

    return run


@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_body_with_another_centre_of_mass(probe, seed):
    """Known D: all is as Newton and Euler have it. Taught by changes in all directions: D is learned, but it fades.

    D fades by 0.02 per change, and half of its error along one of six directions is removed: 0.02/(0.5/6) = 0.24 stays.
    """
    random = np.random.default_rng(seed)
    R = np.linalg.qr(random.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    believed = np.block([[MASS * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), INERTIA]])
    true = rigid(1.2 * MASS, 0.9 * INERTIA, OFFSET)
    N = np.linalg.cholesky(believed)
    D = N.T @ np.linalg.inv(true) @ N - np.eye(6)
    mobility_W, believed_W = turned(np.linalg.inv(true), R), turned(believed, R)
    wrench = random.normal(size=6)
    changes = [(u, believed_W @ mobility_W @ u) for u in random.normal(size=(200, 6))]
    found = probe(MASS, INERTIA, R, D[np.tril_indices(6)], wrench, *(np.concatenate(pair) for pair in changes))
    np.testing.assert_allclose(blocks(found[:27]), mobility_W, atol=1e-12)
    np.testing.assert_allclose(blocks(found[27:54]), turned(true, R), atol=1e-10)
    np.testing.assert_allclose(found[54:60], believed_W @ mobility_W @ wrench, atol=1e-10)
    np.testing.assert_allclose(found[60:66], wrench, atol=1e-10)
    taught = blocks(found[66:93])
    assert found[93:].tolist() == [1.0, 1.0]  # it is known, and it acts
    untaught = np.linalg.inv(believed_W)
    assert np.linalg.norm(taught - mobility_W) < 0.24 * np.linalg.norm(untaught - mobility_W)
