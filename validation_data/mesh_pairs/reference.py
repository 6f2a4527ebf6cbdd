"""Force over depth on flat ground, DEPTH deep, for a stiffness of 1 N/m.

Points, balls, lines and sockets have contacts in points: 1 for a point or a ball, 2 for a line, 4 for a face. All other
shapes have one potential k Phi^2/2. S(Phi) = M, with M the integral of e^4 over the surfaces inside each other and S
that of the shape's seat (docs/manifolds.md). So  force = Phi dPhi/dd = Phi M'(d)/S'(Phi). e is the depth in the ground;
of a round solid it is its own field.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

DEPTH = 5e-6  # m
SIDE = 0.04  # m, of the cube
RADIUS, LENGTH = 0.015, 0.05  # m, of the cylinder
ROUND, LINE = 0.012, 0.05  # m, radius and length of the capsule
SEMI_AXES = 0.03, 0.012, 0.02  # m, of the ellipsoid that stands on its first one
TURN = 0.6  # rad, of the cylinder that stands on its rim, about an axis across
POINTS = {"point": 1, "sphere": 1, "segment, one end": 1, "segment, lying": 2, "socket, face": 4}


def beta(n):
    """int (1 - u^2)^n du from -1 to 1."""
    return math.sqrt(math.pi) * math.gamma(n + 1) / math.gamma(n + 1.5)


def on_face(area, M, slope):
    """Force over depth from M(d), M'(d) and the area of the flat seat: S = area Phi^4."""
    phi = (M / area) ** 0.25
    return slope / (4 * area * phi**2) / DEPTH


def on_line_and_ball(line, ball, M, slope):
    """The same for S = line Phi^4.5 + ball Phi^5."""
    phi = brentq(lambda x: (line * x**4.5 + ball * x**5) / M - 1, 1e-3 * DEPTH, 10 * DEPTH, xtol=1e-22, rtol=1e-15)
    return phi * slope / (4.5 * line * phi**3.5 + 5 * ball * phi**4) / DEPTH


def powers(*terms):
    """M and M' of a sum of factor d^power."""
    return (sum(factor * DEPTH**power for factor, power in terms),
            sum(power * factor * DEPTH ** (power - 1) for factor, power in terms))


def cylinder_on_rim():
    """The ground in a right angle of disc and side, which are inclined by TURN and a right angle less TURN.

    Across the rim, where it is D deep, e grows from both faces to D/(s + c): int e^4 = (1/s + 1/c) (D/(s + c))^5/5.
    Along it D = d - s t^2/(2 r), up to terms of d/r.
    """
    s, c = math.sin(TURN), math.cos(TURN)
    factor = (1 / s + 1 / c) / (s + c) ** 5 / 5 * math.sqrt(2 * RADIUS / s) * beta(5)
    return on_face(math.pi * RADIUS**2, *powers((factor, 5.5)))


def capsule(line_part):
    """A capsule that lies, or stands on an end: (w^2 - t^2)/(2 r) across, w^2 = 2 r d - d^2, dw^2/dd = 2 (r - d)."""
    r, w2, by = ROUND, 2 * ROUND * DEPTH - DEPTH**2, (2 * ROUND) ** -4
    line, ball = line_part * LINE * by * beta(4), 2 * math.pi * by / 10
    M, slope = line * w2**4.5 + ball * w2**5, (4.5 * line * w2**3.5 + 5 * ball * w2**4) * 2 * (r - DEPTH)
    return on_line_and_ball(LINE * math.sqrt(2 * r) * beta(4), 2 * math.pi * r / 5, M, slope)


def values():
    square = SIDE**2
    corner = powers((9 / 30, 6))  # three faces whose areas grow with 3 h dh
    edge = powers((2 * SIDE * math.sqrt(2) / 5, 5), (4 / 30, 6))  # two faces at 45 degrees, two ends
    flat = powers((square, 4), (4 * SIDE / 5, 5))  # with the four sides
    a, b, c = SEMI_AXES
    found = {
        **POINTS, "capsule, one end": capsule(0), "capsule, lying": capsule(1),
        # radii of curvature b^2/a and c^2/a; the seat is that of a ball of the same volume
        "ellipsoid": (b * c / a / (a * b * c) ** (1 / 3)) ** 0.4,
        "cylinder, rim": cylinder_on_rim(),
        # e = (r^2 - rho^2)/(2 r) where this is less than d
        "cylinder, standing": on_face(math.pi * RADIUS**2, *powers((math.pi * RADIUS**2, 4),
                                                                   (-8 * math.pi * RADIUS / 5, 5))),
        "triangle, corner": on_face(0.5 * 0.02 * 0.03, *powers((2 / 3 / 30, 6))),  # 20 mm wide at 30 mm
        "box, corner": on_face(square, *corner), "box, edge": on_face(square, *edge),
        "box, face": on_face(square, *flat),
        "polyhedron, corner": on_face(square, *corner), "polyhedron, face": on_face(square, *flat),
        "mesh, corner": on_face(square, *corner), "mesh, face": on_face(square, *flat),
    }
    return {f"{name}: force over depth": float(value) for name, value in found.items()} | {"largest force aside": 0.0}
