"""RiSE's .pcm files, which assign contact models to pairs of surfaces or objects (docs/pcm.md).

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
from contactlib.pcm.diagnostics import Diagnostic, PcmError
from contactlib.pcm.layout import laid_out, written
from contactlib.pcm.meaning import Contacts, contacts_of
from contactlib.pcm.models import Key, Model, models
from contactlib.pcm.syntax import Assignment, ContactType, File, decode

if TYPE_CHECKING:
    from contactlib.model.spec import Spec

__all__ = ["Assignment", "ContactType", "Contacts", "Diagnostic", "File", "Key", "Model", "PcmError", "format_text",
           "load", "loads", "models", "parse", "written"]


def parse(text: str | bytes, name: str = "<text>") -> File:
    """Parse the statements of a .pcm text. PcmError lists the statements that are not valid syntax.

    Names in the statements are not resolved. Errors use `name` as the file's name.
    """
    file = _read(text, name)
    file.source.check()
    return file


def loads(text: str | bytes, name: str = "<text>", *, folder: str | Path | None = None,
          trust: bool | None = False, scene: Spec | None = None) -> Contacts:
    """Read the laws and pairs of a .pcm text. PcmError lists all mistakes with line, column and sentence.

    `folder` holds the modules of contact models in Python; without a folder the text may not name such models.
    `trust=True` runs these modules, False (default) refuses them. With None they are read but not run, and the laws
    cannot be compiled. With a scene, the error also lists what does not fit this scene.
    """
    return contacts_of(_read(text, name), None if folder is None else SceneFolder.of(folder, trust=trust), scene)


def load(path: str | Path, scene: Spec | None = None, *, trust: bool | None = False) -> Contacts:
    """Read the laws and pairs of a .pcm file, as `loads` reads those of a text. OSError if there is no such file."""
    return loads(Path(path).read_bytes(), str(path), folder=Path(path).parent, trust=trust, scene=scene)


def format_text(text: str | bytes, name: str = "<text>") -> str:
    """Bring a .pcm text into the standard layout; statements and comments stay. PcmError on a syntax error.

    >>> format_text("SurfacePair A*B->C;# why")
    'SurfacePair   A * B -> C;  # why\\n'
    """
    return laid_out(parse(text, name))


def _read(text: str | bytes, name: str) -> File:
    from contactlib.pcm.parser import statements_of  # needs lark, which takes long to import

    source = decode(text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass"), name)
    return statements_of(source)
