"""RiSE's .pcm files: which model of contact two surfaces or two objects have (docs/pcm.md).

>>> from contactlib import pcm
>>> contacts = pcm.loads('''
... ContactType   C0 = DefaultContact [{ Error=1e-3; }];
... SurfacePair   Normal * Glass -> C0;
... ''')
>>> contacts.laws[0].name, contacts.laws[0].materials
('C0', (('Normal', 'Glass'),))
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from contactlib.common.files import SceneFolder
from contactlib.pcm.diagnostics import Fault, PcmError
from contactlib.pcm.layout import laid_out, written
from contactlib.pcm.meaning import Contacts, contacts_of
from contactlib.pcm.models import Key, Model, models
from contactlib.pcm.syntax import Assignment, ContactType, File, decode, statements_of

if TYPE_CHECKING:
    from contactlib.model.spec import Spec

__all__ = ["Assignment", "ContactType", "Contacts", "Fault", "File", "Key", "Model", "PcmError", "format_text", "load",
           "loads", "models", "parse", "written"]


def parse(text: str | bytes, name: str = "<text>") -> File:
    """The statements of a .pcm text, whether they make sense or not; PcmError if some are none.

    `name` stands for the file in errors.
    """
    file = _read(text, name)
    file.source.check()
    return file


def loads(text: str | bytes, name: str = "<text>", *, folder: str | Path | None = None,
          trust: bool | None = False, scene: Spec | None = None) -> Contacts:
    """The laws and pairs of a .pcm text. PcmError with all that is wrong with it: it has line, column and sentence.

    Modules of contact models in Python are read from the folder; without one the text may name none. With `trust=True`
    they are run, by default they are refused; with None they are read and not run, and the laws cannot be compiled.
    With the scene that the text is for, what does not fit that scene is said at once with the rest.
    """
    return contacts_of(_read(text, name), None if folder is None else SceneFolder.of(folder, trust=trust), scene)


def load(path: str | Path, scene: Spec | None = None, *, trust: bool | None = False) -> Contacts:
    """The laws and pairs of a .pcm file; PcmError and `trust` as `loads`, and OSError if there is no such file."""
    return loads(Path(path).read_bytes(), str(path), folder=Path(path).parent, trust=trust, scene=scene)


def format_text(text: str | bytes, name: str = "<text>") -> str:
    """The same statements and comments in the one form that files should have; PcmError if they cannot be read.

    >>> format_text("SurfacePair A*B->C;# why")
    'SurfacePair   A * B -> C;  # why\\n'
    """
    return laid_out(parse(text, name))


def _read(text: str | bytes, name: str) -> File:
    source = decode(text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass"), name)
    return statements_of(source)
