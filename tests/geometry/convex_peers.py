"""coal, FCL and MuJoCo through their Python, asked for the deepest contact of two convex shapes."""

import coal
import fcl
import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

PEERS = ("coal", "fcl", "mujoco")


def rotations(X):
    return Rotation.from_quat(np.roll(X[:, 3:], -1, axis=1)).as_matrix()


# ---- coal ----------------------------------------------------------------------------------------


def coal_shape(shape):
    kind, numbers = shape.kind, shape.numbers()
    if kind == "polyhedron":
        corners = coal.StdVec_Vec3s()
        corners.extend([np.array(v) for v in shape.surface()[0]])
        return coal.ConvexBase.convexHull(corners, True, "Qt")
    name = {"sphere": "Sphere", "capsule": "Capsule", "box": "Box", "cylinder": "Cylinder", "ellipsoid": "Ellipsoid"}
    return getattr(coal, name[kind])(*numbers)


def coal_depths(a, b, X_WA, X_WB):
    """Depths (N,) in m, 0 where coal sees no contact."""
    A, B = coal_shape(a), coal_shape(b)
    request = coal.CollisionRequest()
    depths = np.zeros(len(X_WA))
    places = [[coal.Transform3s(R, p) for R, p in zip(rotations(X), X[:, :3], strict=True)] for X in (X_WA, X_WB)]
    for i, (in_A, in_B) in enumerate(zip(*places, strict=True)):
        result = coal.CollisionResult()
        coal.collide(A, in_A, B, in_B, request, result)
        depths[i] = max((-contact.penetration_depth for contact in result.getContacts()), default=0.0)
    return depths


# ---- FCL -----------------------------------------------------------------------------------------


def fcl_shape(shape):
    kind = shape.kind
    if kind != "polyhedron":
        return getattr(fcl, kind.capitalize())(*shape.numbers())
    vertices, loops, counts = shape.surface()
    return fcl.Convex(vertices, len(counts), np.insert(loops, np.cumsum(counts) - counts, counts))


def fcl_depths(a, b, X_WA, X_WB):
    """As coal_depths."""
    A, B = fcl_shape(a), fcl_shape(b)
    request = fcl.CollisionRequest(num_max_contacts=64, enable_contact=True)
    depths = np.zeros(len(X_WA))
    for i, (x, y) in enumerate(zip(X_WA, X_WB, strict=True)):
        result = fcl.CollisionResult()
        fcl.collide(fcl.CollisionObject(A, fcl.Transform(x[3:], x[:3])),
                    fcl.CollisionObject(B, fcl.Transform(y[3:], y[:3])), request, result)
        depths[i] = max((contact.penetration_depth for contact in result.contacts), default=0.0)
    return depths


# ---- MuJoCo --------------------------------------------------------------------------------------


def geom(name, shape):
    """The shape as a geom of a body of its own, and its mesh if it needs one."""
    if shape.kind == "polyhedron":
        text = " ".join(map(repr, shape.surface()[0].ravel().tolist()))
        return f'<geom type="mesh" mesh="{name}"/>', f'<mesh name="{name}" vertex="{text}"/>'
    half = {"sphere": [1], "capsule": [1, 0.5], "box": [0.5] * 3, "cylinder": [1, 0.5], "ellipsoid": [1] * 3}
    size = " ".join(map(repr, (np.array(shape.numbers()) * half[shape.kind]).tolist()))
    return f'<geom type="{shape.kind}" size="{size}"/>', ""


def mujoco_depths(a, b, X_WA, X_WB):
    """As coal_depths, by mj_geomDistance, which MuJoCo gives for any two geoms."""
    (A, mesh_a), (B, mesh_b) = geom("a", a), geom("b", b)
    bodies = "".join(f'<body mocap="true">{g}</body>' for g in (A, B))
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{mesh_a}{mesh_b}</asset><worldbody>{bodies}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    depths = np.zeros(len(X_WA))
    fromto = np.zeros(6)
    for i, poses in enumerate(zip(X_WA, X_WB, strict=True)):
        for k, X in enumerate(poses):
            data.mocap_pos[k], data.mocap_quat[k] = X[:3], X[3:]
        mujoco.mj_kinematics(model, data)
        depths[i] = max(0.0, -mujoco.mj_geomDistance(model, data, 0, 1, 1.0, fromto))
    return depths


DEPTHS = {"coal": coal_depths, "fcl": fcl_depths, "mujoco": mujoco_depths}
