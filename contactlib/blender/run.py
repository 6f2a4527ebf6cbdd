"""Runs in a Python that has bpy, or in Blender: `contactlib blender` starts it (contactlib/blender/host.py).

    PYTHON run.py COMMAND ARGUMENT ...
    blender --background --factory-startup --python run.py -- COMMAND ARGUMENT ...

The last line on stdout is a JSON text with the lines of the result, or the sentence of an error.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: begins the line with the result; Blender itself writes other lines
RESULT = "contactlib-result "


def _commands() -> dict[str, Callable[..., list[str]]]:
    from extension.inside import rendering, scene_files  # type: ignore[import-not-found]

    return {
        "extract": lambda blend, folder: scene_files.extract(Path(blend), Path(folder)),
        "make": lambda scene, blend: scene_files.make(Path(scene), Path(blend)),
        "show": lambda blend, arrays, choices: rendering.show(Path(blend), Path(arrays), **json.loads(choices)),
        "script": _script,
    }


def _script(path: str, *arguments: str) -> list[str]:
    """Run a Python file of the user; its function `main` takes the arguments and returns lines."""
    names = runpy.run_path(path)
    return [str(line) for line in names["main"](*arguments)]


def main(arguments: list[str]) -> dict[str, Any]:
    """Run a command and return its result: `lines`, or `error`."""
    folder = str(Path(__file__).resolve().parent)
    if folder not in sys.path:  # Blender does not add the folder of a script
        sys.path.insert(0, folder)
    try:
        return {"lines": _commands()[arguments[0]](*arguments[1:])}
    except OSError as error:
        return {"error": f"{error.filename}: {error.strerror}" if error.filename else str(error)}
    except (ValueError, ImportError) as error:
        return {"error": str(error)}


if __name__ == "__main__":
    given = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]
    print(RESULT + json.dumps(main(given)), flush=True)
