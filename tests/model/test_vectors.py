"""Products, lengths and principal axes that are summed in one order, against numpy's."""

import numpy as np
import pytest

from contactlib.berthing.place import of_axes
from contactlib.common.vectors import dot, matmul, norm, principal, unit
from contactlib.shapes.quaternion import rotation_matrix

EPS = np.finfo(float).eps


def test_products_and_lengths():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 40, 3))
    bound = 3 * EPS * (np.abs(a) * np.abs(b)).sum(axis=1)  # two additions, three products
    assert (np.abs(dot(a, b) - np.einsum("ij,ij->i", a, b)) <= bound).all()
    assert np.allclose(norm(a), np.linalg.norm(a, axis=1), rtol=4 * EPS, atol=0.0)
    assert np.allclose(norm(unit(a[0])), 1.0, rtol=4 * EPS, atol=0.0)
    product = matmul(a, b.T)
    assert product.shape == (40, 40)
    assert (np.abs(product - a @ b.T) <= 6 * EPS * np.abs(a) @ np.abs(b.T)).all()


@pytest.mark.parametrize("order", [2, 3, 4])
def test_principal_axes(order):
    """V diag(values) V^T is the matrix; the values agree with LAPACK's to rounding."""
    rng = np.random.default_rng(order)
    for scale in (1e-12, 1.0, 1e9):
        for _ in range(20):
            a = scale * rng.normal(size=(order, order))
            a = a + a.T
            values, vectors = principal(a)
            size = np.abs(values).max()
            assert np.allclose(values, np.linalg.eigvalsh(a), rtol=0.0, atol=32 * EPS * size)
            assert np.allclose(vectors @ np.diag(values) @ vectors.T, a, rtol=0.0, atol=32 * EPS * size)
            assert np.allclose(vectors.T @ vectors, np.eye(order), rtol=0.0, atol=16 * EPS)


def test_principal_axes_of_special_matrices():
    assert principal(np.zeros((3, 3)))[0].tolist() == [0.0, 0.0, 0.0]
    assert principal(np.diag([3.0, 1.0, 2.0]))[0].tolist() == [1.0, 2.0, 3.0]
    flat = np.outer([1.0, 2.0, 2.0], [1.0, 2.0, 2.0])  # of rank one
    values, vectors = principal(flat)
    assert np.allclose(values, [0.0, 0.0, 9.0], rtol=0.0, atol=64 * EPS)
    assert np.allclose(np.abs(vectors[:, 2]), [1 / 3, 2 / 3, 2 / 3], rtol=8 * EPS)


def test_quaternion_of_axes():
    """Every rotation, and those by half a turn, where one component of the quaternion is zero."""
    rng = np.random.default_rng(5)
    quaternions = [*rng.normal(size=(200, 4)), *np.eye(4), (0.0, 1.0, 1.0, 0.0), (1.0, 1.0, 1.0, 1.0)]
    for q in quaternions:
        R = rotation_matrix(np.array(q) / np.linalg.norm(q))
        found = np.array(of_axes(*R.T))
        assert abs(np.linalg.norm(found) - 1.0) < 4 * EPS
        assert np.allclose(rotation_matrix(found), R, rtol=0.0, atol=16 * EPS)
        assert found[np.argmax(np.abs(found))] > 0.0
