"""Shapes, random frames and scenes from them: what all pose generators share."""

import numpy as np

SOCKET = ("socket", {"size": (0.10, 0.12, 0.08), "radius": 0.0175, "length": 0.05})
PEG = ("capsule", {"radius": 0.0173, "length": 0.06})
ROD = ("capsule", {"radius": 0.004, "length": 0.30})
BOX = ("box", {"size": (0.10, 0.06, 0.08)})
PLANE, POINT = ("plane", {}), ("point", {})
BALL, MARBLE = ("sphere", {"radius": 0.02}), ("sphere", {"radius": 0.007})
FAR = 3.0  # largest world coordinate of the scene [m]
DEEP = 2e-3  # largest penetration aimed at in the shallow regions [m]


# ---- poses from frames ---------------------------------------------------------------------------


def pose(p, q=(1, 0, 0, 0)):
    """One pose (1, 7) with its quaternion normalised in extended precision."""
    q = np.array(q, np.longdouble)
    return np.concatenate([np.array(p, np.longdouble), q / np.sqrt(q @ q)])[None]


def directions(rng, n):
    """Uniform unit vectors (n, 3)."""
    v = rng.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def quaternions(rng, n):
    """Uniform unit quaternions (n, 4), scalar first."""
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def multiply(p, q):
    """Quaternion product p q, each (n, 4)."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(1, keepdims=True)
    return np.hstack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])


def turn(q, v):
    """Vectors v (n, 3) turned by q (n, 4)."""
    cross = 2 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * cross + np.cross(q[:, 1:], cross)


def pointing(rng, t):
    """Quaternions (n, 4) that turn z into t (n, 3), with a random twist about z."""
    half = np.hstack([1 + t[:, 2:], -t[:, 1:2], t[:, :1], np.zeros((len(t), 1))])  # 1 + z.t, z x t
    half[t[:, 2] < -1 + 1e-9] = [0, 1, 0, 0]
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    twist = rng.uniform(0, 2 * np.pi, (len(t), 1))
    return multiply(half, np.hstack([np.cos(twist), np.zeros((len(t), 2)), np.sin(twist)]))


def place(rng, shape_a, shape_b, p_BA, q_BA):
    """Move the scene, given by A in the frame of B, to a random pose in the world."""
    n = len(p_BA)
    p_WB, q_WB = rng.uniform(-FAR, FAR, (n, 3)), quaternions(rng, n)
    X_WA = np.hstack([p_WB + turn(q_WB, p_BA), multiply(q_WB, q_BA)])
    X_WA[:, 3:] /= np.linalg.norm(X_WA[:, 3:], axis=1, keepdims=True)
    return shape_a, shape_b, X_WA, np.hstack([p_WB, q_WB])


def near(shape_a, shape_b, reach, centre=(0, 0, 0)):
    """A anywhere within reach (3,) of the centre, any orientation."""

    def poses(rng, n):
        return place(rng, shape_a, shape_b, centre + rng.uniform(-1, 1, (n, 3)) * reach, quaternions(rng, n))

    return poses
