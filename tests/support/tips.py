"""A master whose bodies respond as tips of arms do: another mass along each axis, and forces that also turn them."""

import numpy as np

from contactlib.simulation import rigid_body
from tests.support.coupled import Master


class TipMaster(Master):
    """Bodies with momentum p = M nu, with a full 6 x 6 matrix M that is fixed in each body; nu is their twist.

    P' = P x w + F,  L' = L x w + P x v + T about the scene's centre of mass, in body axes (Kirchhoff's equations of a
    body in a fluid). So nu.M nu/2 is conserved without wrenches. `ratios`: eigenvalues of M over the scene's masses,
    along directions that `seed` draws.
    """

    def __init__(self, spec, h, ratios, seed):
        super().__init__(spec, h)
        random = np.random.default_rng(seed)
        self.M = np.array([self._apparent(random, np.resize(ratios, 6), *properties)
                           for properties in zip(self.masses.mass[:, 0], self.masses.inertia, strict=True)])
        self.mobility = np.linalg.inv(self.M)

    @staticmethod
    def _apparent(random, ratios, mass, inertia):
        root = np.zeros((6, 6))
        root[:3, :3], root[3:, 3:] = np.sqrt(mass) * np.eye(3), np.linalg.cholesky(inertia)
        axes = np.linalg.qr(random.normal(size=(6, 6)))[0]
        return root @ axes @ np.diag(ratios) @ axes.T @ root.T

    def energy(self):
        """J, of all bodies now."""
        _, _, twist = self._twist()
        return 0.5 * np.einsum("ni,nij,nj", twist, self.M, twist)

    def run(self, steps):
        """The energies (J) after each of the steps."""
        energies = []
        for _ in range(steps):
            self.simulation.step(self.h, self.states)
            new = self.simulation.wrenches.copy()
            self._advance(new if self.order == "gauss_seidel" else self.wrenches)
            self.wrenches = new
            energies.append(self.energy())
        return np.array(energies)

    def _twist(self):
        """Rotations, centres of mass from the origins (world axes), and twists of the centres in body axes."""
        R = rigid_body.rotations(self.states[:, 3:7])
        c, w = rigid_body.apply(R, self.masses.com), self.states[:, 10:]
        v, back = self.states[:, 7:10] + np.cross(w, c), R.swapaxes(-1, -2)
        return R, c, np.concatenate([rigid_body.apply(back, v), rigid_body.apply(back, w)], axis=1)

    def _rate(self, now, load):
        """Rates of the numbers of bodies (N, 13): centre of mass, attitude, momenta in body axes."""
        _, q, p = np.split(now, [3, 7], axis=1)
        R = rigid_body.rotations(q)
        back, c = R.swapaxes(-1, -2), rigid_body.apply(R, self.masses.com)
        force, torque = load[:, :3], load[:, 3:] - np.cross(c, load[:, :3])
        v, w = np.split(np.einsum("nij,nj->ni", self.mobility, p), 2, axis=1)
        P, L = p[:, :3], p[:, 3:]
        spin = np.pad(rigid_body.apply(R, w), ((0, 0), (1, 0)))
        return np.concatenate([rigid_body.apply(R, v), 0.5 * rigid_body.product(spin, q),
                               np.cross(P, w) + rigid_body.apply(back, force),
                               np.cross(L, w) + np.cross(P, v) + rigid_body.apply(back, torque)], axis=1)

    def _advance(self, load, parts=4):
        """Steps of RK4 under a wrench that is constant in world axes."""
        _, c, twist = self._twist()
        p = np.einsum("nij,nj->ni", self.M, twist)
        now = np.concatenate([self.states[:, :3] + c, self.states[:, 3:7], p], axis=1)
        h = self.h / parts
        for _ in range(parts):
            k1 = self._rate(now, load)
            k2 = self._rate(now + h / 2 * k1, load)
            k3 = self._rate(now + h / 2 * k2, load)
            k4 = self._rate(now + h * k3, load)
            now = now + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            now[:, 3:7] = rigid_body.normalised(now[:, 3:7])
        r, q, p = np.split(now, [3, 7], axis=1)
        R = rigid_body.rotations(q)
        c = rigid_body.apply(R, self.masses.com)
        v, w = (rigid_body.apply(R, x) for x in np.split(np.einsum("nij,nj->ni", self.mobility, p), 2, axis=1))
        self.states = np.concatenate([r - c, q, v - np.cross(w, c), w], axis=1)
