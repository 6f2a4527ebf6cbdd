"""Runs in Blender: the blocks of Python of docs/blender.md, one after the other, in one folder."""

import os
import re
from pathlib import Path

import bpy


def main(page: str, folder: str) -> list[str]:
    """Run all blocks; return the heading above each. An error names its block."""
    os.chdir(folder)
    bpy.ops.wm.read_factory_settings(use_empty=False)
    names = {"bpy": bpy, "os": os}
    done = []
    text = Path(page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        heading = re.findall(r"^#+ (.*)$", text[:match.start()], re.MULTILINE)[-1]
        try:
            exec(compile(match[1], heading, "exec"), names)
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"step '{heading}': {type(error).__name__}: {error}\n{match[1]}") from None
        done.append(heading)
    return done
