"""Author, version and licence of an FMU."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version


def tool_version() -> str:
    """Return the version of the installed contactlib."""
    try:
        return version("contactlib")
    except PackageNotFoundError:
        return "unknown"


@dataclass(frozen=True)
class Metadata:
    """What an FMU says about itself in modelDescription.xml and in its documentation.

    Attributes
    ----------
    description : one sentence about the scene; by default its name.
    author : name and organisation of the author of the scene.
    version : version of the scene; by default that of contactlib, with which a shipped scene comes.
    license : licence of the scene, in a few words. The FMU contains the licence of its binaries as a file.
    copyright : who owns the scene, such as "(c) 2026 Example Ltd".

    Examples
    --------
    >>> Metadata(author="A. Smith, Example Ltd", version="2.1").attributes()["version"]
    '2.1'
    """

    description: str = ""
    author: str = "contactlib developers"
    version: str = field(default_factory=tool_version)
    license: str = "MIT, see documentation/licenses/license.txt"
    copyright: str = ""

    def attributes(self) -> dict[str, str]:
        """Return the attributes of the root element; an empty one is left out."""
        named = {"author": self.author, "version": self.version, "copyright": self.copyright, "license": self.license}
        return {name: value for name, value in named.items() if value}
