"""The command `contactlib hash`, which proves that a machine computes the bits of the recorded table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.cli.options import SCENE

Scenes = Annotated[list[str] | None, typer.Argument(metavar="[SCENE]...", help=f"{SCENE} Default: all shipped scenes.")]
Check = Annotated[bool, typer.Option("--check", help="Compare with the recorded table; exit with 1 on a difference.")]
Threads = Annotated[int, typer.Option(min=1, help="Run this many instances of each FMU at a time.")]
FILES = "Folder for model.bin, inputs.bin and outputs.bin of each scene, for hosts in other languages."
Files = Annotated[Path | None, typer.Option("-o", "--out", help=FILES)]


@one_sentence
def hash_scenes(scenes: Scenes = None, check: Check = False, threads: Threads = 1, out: Files = None) -> None:
    """Run scenes through their FMUs and print a hash of all outputs.

    A line has the scene, the first digits of the model's hash, and the SHA-256 of the outputs of 1000 steps. All
    platforms have equal hashes. With --check, the command compares the lines with the table that ships.
    """
    from contactlib.fmu.hashes import difference, recorded, scene_hash, shipped_scenes

    table, wrong = recorded() if check else {}, []
    for scene in scenes or shipped_scenes():
        found = scene_hash(scene, threads=threads, out=out and out / Path(scene).name)
        problem = difference(found, table) if check else ""
        wrong += [problem] if problem else []
        typer.echo(f"{found}{'  DIFFERS' if problem else '  as recorded' if check else ''}")
    if wrong:
        raise ValueError(f"{len(wrong)} of {len(scenes or shipped_scenes())} hashes differ: {'; '.join(wrong)}")
