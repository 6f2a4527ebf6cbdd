"""Contact models in Python between a scene, a model file and a running simulation: source, arguments, calls."""

from __future__ import annotations

import hashlib
import inspect
import json
import linecache
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from contactlib.common import tables
from contactlib.common.files import SceneFolder, read_text
from contactlib.model.user_law import ContactModel

if TYPE_CHECKING:
    pass

#: most numbers that a model remembers of a contact
MAX_MEMORY = 1000
#: what to do where a module is not trusted
ALLOW = "read that file, then allow it with --trust (in Python: trust=True)"


@dataclass(frozen=True)
class PythonModel:
    """A contact model of a scene: "module:Class", the module's source, and the arguments of the class as JSON.

    trusted : False for a module that nobody has allowed to run; such a model cannot be made.
    """

    kind: str
    source: str
    arguments: str
    trusted: bool = True

    @property
    def module(self) -> str:
        return self.kind.partition(":")[0]

    def make(self) -> ContactModel:
        """A new instance, its class attributes checked; ValueError if there is none, or if it is not trusted."""
        if not self.trusted:
            raise ValueError(f"the contact model '{self.kind}' was read without running its module {self.module}.py: "
                             f"{ALLOW}")
        try:
            model = model_class(self.kind, self.source)(**json.loads(self.arguments))
        except Exception as error:
            raise ValueError(f"contact model '{self.kind}' cannot be made: {exception_text(error)}") from error
        for name in ("tangents", "numbers"):
            tables.integer(0, MAX_MEMORY)(f"{self.kind}.{name}", getattr(model, name))
        tables.number(0.0)(f"{self.kind}.reach", model.reach)
        return model

    def reference(self) -> str:
        """What a model file says of it. The source stands beside that file, which guards it by its hash."""
        return json.dumps({"model": self.kind, "sha256": _hash(self.source), "arguments": json.loads(self.arguments)})


def read(path: str, kind: str, values: Mapping[str, Any], place: SceneFolder) -> PythonModel:
    """The model that a scene names; ValueError with the key's path. Its module is run where it is trusted."""
    module, _, name = kind.partition(":")
    tables.name(path, module)
    tables.name(path, name)
    try:
        file = place.file(f"{module}.py")
    except ValueError as error:
        tables.fail(path, kind, str(error))
    try:
        source = read_text(file)
    except (OSError, UnicodeDecodeError) as error:
        tables.fail(path, kind, f"there is no module {file}: {error}")
    if place.trust is False:
        tables.fail(path, kind, f"this contact model runs the Python module {file} with all your rights: {ALLOW}")
    try:
        arguments = json.dumps(dict(values), sort_keys=True, allow_nan=False)
        found = PythonModel(kind, source, arguments, trusted=bool(place.trust))
        if found.trusted:
            _check_arguments(model_class(kind, source), values)
            found.make()
    except (TypeError, ValueError) as error:
        tables.fail(path, kind, str(error))
    return found


def _check_arguments(cls: type[ContactModel], values: Mapping[str, Any]) -> None:
    known = [] if cls.__init__ is object.__init__ else list(inspect.signature(cls).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in known):
        return
    names = [p.name for p in known]
    for name in values:
        if name not in names:
            raise ValueError(f"{cls.__name__} takes no argument '{name}'; {tables.hint(name, names)}")
    for p in known:
        if p.default is p.empty and p.kind is not p.VAR_POSITIONAL and p.name not in values:
            raise ValueError(f"{cls.__name__} needs the argument '{p.name}', and it is missing")


def _hash(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def model_class(kind: str, source: str) -> type[ContactModel]:
    """The class of a module's source. A module of the same source is run once, of another one by itself."""
    module, _, name = kind.partition(":")
    found = getattr(_loaded(module, source), name, None)
    if not (isinstance(found, type) and issubclass(found, ContactModel)):
        raise ValueError(f"the module {module} has no subclass '{name}' of contactlib.ContactModel")
    return found


def _loaded(name: str, source: str) -> ModuleType:
    """The module, under a name that has its hash: two of the same name and another content do not meet."""
    unique = f"contactlib_models.{name}_{_hash(source)[:16]}"
    if unique in sys.modules:
        return sys.modules[unique]
    module = ModuleType(unique)
    module.__file__ = f"<{name}.py, {_hash(source)[:8]}>"
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(keepends=True), module.__file__)
    sys.modules[unique] = module  # dataclasses look there
    try:
        exec(compile(source, module.__file__, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[unique]
        raise ValueError(f"the module {name} cannot be run: {exception_text(error)}") from error
    return module


def exception_text(error: BaseException) -> str:
    """An error with the line of the user's module, if it is there."""
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<")]
    where = f", {lines[-1].filename[1:].split(',')[0]} line {lines[-1].lineno}" if lines else ""
    return f"{type(error).__name__}: {error}{where}"


def from_reference(text: str, modules: Mapping[str, str] | Path | str) -> PythonModel:
    """What `reference` gave, with the source from a folder or from a table by name; ValueError if it is another one."""
    try:
        header = json.loads(text)
        kind, wanted = str(header["model"]), header["sha256"]
        arguments = json.dumps(header["arguments"], sort_keys=True)
        module, _, name = kind.partition(":")
        tables.name("model", module)
        tables.name("model", name)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("the model file is damaged: what it says of a contact model in Python is no such thing"
                         ) from None
    if isinstance(modules, Mapping):
        source = modules.get(module)
    else:
        file = Path(modules) / f"{module}.py"
        source = read_text(file) if file.is_file() else None
    if source is None:
        raise ValueError(f"the contact model '{kind}' needs its module {module}.py: say where it is, as in "
                         f"Model.from_bytes(content, modules=folder)")
    if _hash(source) != wanted:
        raise ValueError(f"the module {module}.py is not the one that the model was compiled with: its SHA-256 differs")
    return PythonModel(kind, source, arguments)
