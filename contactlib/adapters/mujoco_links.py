"""Bodies of an MjModel as contactlib sees them: states of their frames, apparent masses, wrenches on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from contactlib.adapters.apparent_mass import apparent_mass
from contactlib.shapes.mass import MassProperties

Floats = NDArray[np.float64]


class Links:
    """Some bodies of an MjModel, by number; arrays have one row per body, all in world axes."""

    def __init__(self, model: Any, ids: Sequence[int]) -> None:
        self.model = model
        self.ids = np.array(ids, dtype=np.intp)
        self.roots = model.body_rootid[self.ids]
        self._scratch = mujoco.MjData(model)

    def twin(self) -> Links:
        """The same bodies with memory of their own, for another thread."""
        return Links(self.model, self.ids.tolist())

    def states(self, data: Any) -> Floats:
        """Return r (m), q, v (m/s), w (rad/s) of the bodies' frames, (n, 13), at one time.

        MuJoCo's integrators, other than RK4, add h v of the end of a step to the position. So their positions are half
        a step ahead of their velocities. With the positions half a step back,

            y_n = x_n - h v_n/2,   y_n+1 - y_n = h (v_n + v_n+1)/2,

        y and v move under a held wrench as those of a body do, which contactlib predicts.
        """
        at = self._scratch
        at.qpos[:], at.qvel[:] = data.qpos, data.qvel
        at.mocap_pos[:], at.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        if self.model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4:
            mujoco.mj_integratePos(self.model, at.qpos, at.qvel, -0.5 * self.model.opt.timestep)
        mujoco.mj_kinematics(self.model, at)
        mujoco.mj_comPos(self.model, at)
        mujoco.mj_comVel(self.model, at)
        r, twist = at.xpos[self.ids], at.cvel[self.ids]  # cvel: w, and v at the tree's centre of mass
        v = twist[:, 3:] + np.cross(twist[:, :3], r - at.subtree_com[self.roots])
        return np.concatenate([r, at.xquat[self.ids], v, twist[:, :3]], axis=1)

    def apply(self, data: Any, wrenches: Floats) -> None:
        """Write wrenches (n, 6) about the origins of the bodies' frames, at the last `states`, to data.xfrc_applied.

        xfrc_applied acts at the centre of mass, xipos. Rows of bodies that are listed twice are sums.
        """
        at, h = self._scratch, self.model.opt.timestep
        p_CO_W = at.xpos[self.ids] - at.xipos[self.ids]
        p_CO_W += 0.5 * h * np.cross(at.cvel[self.ids, :3], p_CO_W)  # in the middle of the step
        force, torque = wrenches[:, :3], wrenches[:, 3:]
        data.xfrc_applied[self.ids] = 0.0
        np.add.at(data.xfrc_applied, self.ids, np.concatenate([force, torque + np.cross(p_CO_W, force)], axis=1))

    def apparent_masses(self, data: Any) -> list[MassProperties | None]:
        """Return `apparent_mass` of each body at data.qpos; None for a body that no wrench moves."""
        self._scratch.qpos[:] = data.qpos
        mujoco.mj_fwdPosition(self.model, self._scratch)  # M and its factor
        return [self._apparent_mass(self._scratch, body) for body in self.ids]

    def _apparent_mass(self, data: Any, body: int) -> MassProperties | None:
        jacobian = np.zeros((6, self.model.nv))
        mujoco.mj_jacBodyCom(self.model, data, jacobian[:3], jacobian[3:], body)
        solved = np.zeros_like(jacobian)
        mujoco.mj_solveM(self.model, data, solved, jacobian)
        R_WB = data.xmat[body].reshape(3, 3)
        return apparent_mass(jacobian @ solved.T, R_WB, self.model.body_ipos[body])
