"""The boxed linear complementarity problem by the core's solver."""

import json
from pathlib import Path

import numpy as np

from contactlib._core import engine

W = (0.0, 0.375, -1.25, 1.625)


def run(runner):
    problem = json.loads((Path(__file__).parent / "lcp_example.json").read_text(encoding="utf-8"))
    A, b = np.array(problem["A"], float), np.array(problem["b"], float)
    lo, hi = (np.array([float(value) for value in problem[key]]) for key in ("lo", "hi"))
    z, states = np.full((1, len(b)), np.nan), np.full((1, len(b)), -1, np.int8)
    report = engine.solve_mcp(A[None], b[None], lo[None], hi[None], states, z)[0]
    return {"z, largest difference": float(np.abs(z[0] - problem["z"]).max()),
            "w, largest difference": float(np.abs(A @ z[0] + b - W).max()),
            "solved": float(engine.SOLVE_CODES[report["code"]] == "solved")}

