"""Contact models as a user writes them: the compiled laws again, and some that do other things."""

import numpy as np

from contactlib import ContactModel

TINY = 1e-300  # so that nothing divided by nothing is nothing


class Pad(ContactModel):
    """Kelvin-Voigt and the bristle: core/law/normal.hpp and core/law/slider.hpp, for arrays."""

    tangents = 1
    numbers = 1  # 1 while it slips

    def __init__(self, stiffness, damping, mu_static, mu_kinetic, tangential_stiffness, tangential_damping):
        self.k, self.c = stiffness, damping
        self.mu_s, self.mu_k = mu_static, mu_kinetic
        self.kt, self.ct = tangential_stiffness, tangential_damping

    def update(self, contacts):
        x, rate, n, h = contacts.depth, contacts.depth_rate, contacts.normal, contacts.h
        z, slipping = contacts.tangents[:, 0], contacts.numbers[:, 0]
        spring = self.k * x
        N = np.maximum(0.0, spring + self.c * rate)
        hold = self.mu_s * N
        v = contacts.velocity + rate[:, None] * n
        trial = z + h * v
        w = self.kt * trial
        size2 = np.vecdot(w, w)
        slipped = slipping != 0.0
        limit = np.where(slipped, self.mu_k * N, hold) if slipped.any() else hold
        slips = size2 > limit * limit
        if h == 0.0:
            slips |= slipped
        stored = 0.5 / self.kt * size2
        # what sticks is damped, and holds no more than it can with that
        elastic = np.vecdot(w, v)
        w += self.ct * v
        cap = hold / np.maximum(np.sqrt(np.vecdot(w, w)), hold + TINY)
        heat = np.maximum(0.0, cap * np.vecdot(w, v) - elastic)
        if slips.any():
            keep = np.where(slips, self.mu_k * N / np.sqrt(np.maximum(size2, TINY)), 1.0)
            lost = (1.0 - keep) * size2 / self.kt / h if h > 0.0 else elastic
            heat = np.where(slips, np.maximum(0.0, keep * lost), heat)
            stored *= keep * keep
            trial *= keep[:, None]
            w = np.where(slips[:, None], self.kt * trial, w)
            cap[slips] = 1.0
        z[:] = trial
        slipping[:] = slips
        contacts.stored[:] = stored + 0.5 * spring * x
        contacts.heat[:] = heat + (N - spring) * rate
        return N[:, None] * n - cap[:, None] * w


class Anchor(ContactModel):
    """The compiled model "spring" without limits along x and y."""

    reach = 1.0

    def __init__(self, stiffness, damping=0.0, z_limit=1e30):
        self.k, self.c, self.limit = stiffness, damping, z_limit

    def update(self, contacts):
        f = -self.k * contacts.stretch - self.c * contacts.velocity
        ends = np.abs(np.minimum(0.0, np.einsum("ij,ij->i", f, contacts.normal))) > self.limit
        contacts.stored[:] = 0.5 * self.k * np.einsum("ij,ij->i", contacts.stretch, contacts.stretch)
        f[~contacts.held | ends] = 0.0
        return f, ends


class Diary(Anchor):
    """Writes down how each contact fared."""

    numbers = 2

    def __init__(self, stiffness, z_limit):
        super().__init__(stiffness, 0.0, z_limit)
        self.lines = []

    def establish(self, contacts):
        contacts.numbers[:, 0] = contacts.depth
        self.lines.append(("establish", len(contacts), float(contacts.depth[0])))

    def update(self, contacts):
        contacts.numbers[:, 1] += contacts.h
        return super().update(contacts)

    def terminate(self, contacts):
        self.lines.append(("terminate", len(contacts), *contacts.memory[0].tolist(), float(contacts.age[0])))


class Broken(ContactModel):
    """Goes wrong in a way that it is told, from a given depth on."""

    numbers = 1

    def __init__(self, how, depth=0.0):
        self.how, self.depth = how, depth

    def update(self, contacts):
        contacts.memory[:] += 1.0
        force = 1e4 * contacts.depth[:, None] * contacts.normal
        if (contacts.depth < self.depth).all():
            return force
        if self.how == "raise":
            return force / len(self.nothing)
        if self.how == "shape":
            return force[:, :2]
        if self.how == "nan":
            force[-1, 1] = np.nan
        if self.how == "ends":
            return force, np.zeros(len(contacts))
        if self.how == "memory":
            contacts.memory[:] = np.inf
        if self.how == "stop":
            raise KeyboardInterrupt
        return force
