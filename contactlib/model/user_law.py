"""Contact models written in Python: the class to subclass, and what it sees (docs/contact_models.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class ContactModelError(ValueError):
    """A contact model in Python failed: an exception, an answer of the wrong shape, or one that is not finite.

    The sentence names the model, its law and the contacts. The state of the simulation is as before.
    """


@dataclass(frozen=True)
class Contacts:
    """The n contacts of one law, in arrays: world axes, SI units, A and B the bodies of each.

    point (n, 3) m; normal (n, 3), unit, from A to B; depth (n,) m, negative where the shapes are apart; its rate
    depth_rate (n,) m/s; velocity (n, 3) m/s, of B against A at the point; spin (n, 3) rad/s, of B against A; stretch
    (n, 3) m, from the attachment point on A to that on B, which were set on the surfaces when the contact was
    established; R_WA, R_WB (n, 3, 3), the bodies' attitudes; age (n,) s; share (n,), of the place's force that is this
    contact's: the caller scales by it; held (n,): False for a contact that has ended while its shapes still touch;
    shape_a, shape_b (n,) numbers of shapes.

    Memory: memory (n, width), or its parts, tangents (n, T, 3) and numbers (n, N). To be written, as are stored (n,)
    J, heat (n,) W, and torque (n, 3) N m, a couple on B: zero before each update. time and h in s, where h has passed
    since the memory was written; 0 evaluates without moving on.

    The arrays are the simulation's own: they hold for the call, and are written over by the next.
    """

    time: float
    h: float
    shape_a: NDArray[np.int32]
    shape_b: NDArray[np.int32]
    held: NDArray[np.bool_]
    point: Floats
    normal: Floats
    depth: Floats
    depth_rate: Floats
    velocity: Floats
    spin: Floats
    stretch: Floats
    R_WA: Floats
    R_WB: Floats
    age: Floats
    load_share: Floats
    memory: Floats
    tangents: Floats
    numbers: Floats
    torque: Floats
    stored: Floats
    heat: Floats

    def __len__(self) -> int:
        return len(self.depth)


class ContactModel:
    """How two shapes push, hold and rub, for as long as they are in contact: subclass it.

    A scene names a subclass as ``model = { kind = "feet:Pad", stiffness = 1e4 }``: the class Pad of the file feet.py
    beside the scene, made with these arguments. What a model remembers of a contact stands in the contact's memory and
    nowhere else, so that states can be saved and steps taken back; attributes are set in ``__init__`` alone.

    tangents : vectors that are remembered in the contact plane: they turn with the surface, as bristles do.
    numbers : numbers that are remembered.
    reach : m; how far apart the anchors may be, once the shapes have parted, before the contact ends. 0: it ends there.

    Examples
    --------
    >>> import numpy as np
    >>> class Pad(ContactModel):
    ...     numbers = 1
    ...     def __init__(self, stiffness: float) -> None:
    ...         self.stiffness = stiffness
    ...     def update(self, contacts):
    ...         np.maximum(contacts.memory[:, 0], contacts.depth, out=contacts.memory[:, 0])
    ...         return (self.stiffness * contacts.depth)[:, None] * contacts.normal
    """

    tangents: int = 0
    numbers: int = 0
    reach: float = 0.0

    def establish(self, contacts: Contacts) -> None:
        """Contacts that begin, and they alone: their memory, zero so far, may be written."""

    def update(self, contacts: Contacts) -> ArrayLike | tuple[ArrayLike, ArrayLike]:
        """All contacts: forces on B (n, 3) in N, world axes; or these and which contacts end now (n,).

        It is called once in a step, and again where an integrator asks for a trial or a step is taken back.
        """
        raise NotImplementedError("a contact model must have a method update")

    def terminate(self, contacts: Contacts) -> None:
        """Contacts that have ended in this step: only shape_a, shape_b, age and memory count."""
