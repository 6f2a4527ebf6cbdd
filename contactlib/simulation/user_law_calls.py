"""Calls from the core to contact models in Python: they read columns of contacts and return forces and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from contactlib._core import engine
from contactlib.model.user_law import ContactModel, ContactModelError, Contacts
from contactlib.model.user_law_source import exception_text
from contactlib.simulation.contacts import names_of_shapes

if TYPE_CHECKING:
    from contactlib.model.model import Model

#: the methods of a contact model, by the number of the call
CALLS = ("establish", "update", "terminate")


class Caller:
    """Calls the contact models of one simulation on behalf of the core."""

    def __init__(self, model: Model, data: engine.Data) -> None:
        self.model, self.data = model, data
        self.columns = self.columns_for(data.capacity)
        self.kinds = {law: (found.kind, name) for law, name, found in model.python_models}
        self.models = {law: found.make() for law, name, found in model.python_models}
        self.widths = {law: (tangents, numbers) for law, _, _, tangents, numbers in model.core.user_laws}

    def columns_for(self, contacts: int) -> dict[str, Any]:
        """Replace the columns by new columns with capacity for this number of contacts."""
        width = self.model.core.own_width
        self.columns = {name: np.zeros(contacts * (numbers or width), dtype=kind)
                        for name, kind, numbers in engine.USER_LAW_COLUMNS}
        self.shaped: dict[tuple[int, int], tuple[Contacts, Any]] = {}
        return self.columns

    def __call__(self, method: int, law: int, count: int) -> None:
        contacts, force = self._rows(law, count)
        object.__setattr__(contacts, "time", self.data.time)
        object.__setattr__(contacts, "h", self.data.last_interval)
        try:
            answer = getattr(self.models[law], CALLS[method])(contacts)
            if method == 1:
                self._store_forces(answer, force, count)
        except ContactModelError:
            raise
        except Exception as error:
            raise ContactModelError(f"{self._title(law)} failed in {CALLS[method]} of {self._contacts(count)}: "
                                    f"{exception_text(error)}") from error

    def _store_forces(self, answer: Any, force: Any, count: int) -> None:
        forces, ends = answer if isinstance(answer, tuple) else (answer, None)
        forces = np.asarray(forces, dtype=np.float64)
        if forces.shape != (count, 3):
            raise ValueError(f"the forces have shape {forces.shape}, must be ({count}, 3)")
        force[:] = forces
        if ends is None:
            return
        ends = np.asarray(ends)
        if ends.shape != (count,) or ends.dtype != np.bool_:
            raise ValueError(f"which contacts end has shape {ends.shape} and type {ends.dtype}, must be ({count},) of "
                             f"bool")
        self.columns["ends"][:count] = ends

    def _rows(self, law: int, count: int) -> tuple[Contacts, Any]:
        """Return the first `count` rows of all columns in the shapes for a model, and those of the forces."""
        found = self.shaped.get((law, count))
        if found is None:
            found = self.shaped[law, count] = self._shape(law, count)
        return found

    def _shape(self, law: int, count: int) -> tuple[Contacts, Any]:
        tangents, numbers = self.widths[law]
        width = 3 * tangents + numbers
        views: dict[str, Any] = {}
        for name, _kind, per in engine.USER_LAW_COLUMNS:
            per = per or width
            rows = self.columns[name][:count * per]
            if name == "memory" or per > 1:
                rows = rows.reshape(count, *((3, 3) if per == 9 else (per,)))
            views[name] = rows
        memory = views["memory"]
        views["tangents"] = memory[:, :3 * tangents].reshape(count, tangents, 3)
        views["numbers"] = memory[:, 3 * tangents:]
        force = views.pop("force")
        del views["contact"], views["ends"]
        for name in views.keys() - {"memory", "tangents", "numbers", "torque", "stored", "heat"}:
            views[name].flags.writeable = False
        return Contacts(time=0.0, h=0.0, **views), force

    def _title(self, law: int) -> str:
        kind, name = self.kinds[law]
        return f"contact model '{kind}' of law '{name}'"

    def _contacts(self, count: int) -> str:
        first = self._pair(self.columns["shape_a"][0], self.columns["shape_b"][0])
        return f"{first} and {count - 1} other contacts" if count > 1 else first

    def _pair(self, shape_a: int, shape_b: int) -> str:
        return f"{self._shape_name(shape_a)} on {self._shape_name(shape_b)}"

    def _shape_name(self, shape: int) -> str:
        """Return "body.shape". A model from bytes has no names of shapes; there it is "body.kind"."""
        return names_of_shapes(self.model)[shape]

    def not_finite(self, law: int, shape_a: int, shape_b: int) -> ContactModelError:
        """Return the error for results that are not finite."""
        return ContactModelError(f"{self._title(law)} returned a force, energy or memory that is not finite for "
                                 f"{self._pair(shape_a, shape_b)}")


def attach_contact_models(model: Model, data: engine.Data) -> dict[str, ContactModel]:
    """Make the Python contact models of a model for a simulation's data. ValueError if their modules are missing."""
    if len(model.core.user_laws) != len(model.python_models):
        raise ValueError(f"the model '{model.name}' has contact models in Python, and their modules are missing: give "
                         f"the folder of the modules, as in Model.from_bytes(content, modules=folder)")
    if not model.core.user_laws:
        return {}
    caller = Caller(model, data)
    data.set_models(caller, caller.columns)
    return {name: caller.models[law] for law, name, _ in model.python_models}
