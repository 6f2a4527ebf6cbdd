"""The command `contactlib import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import Progress, one_sentence

File = Annotated[Path, typer.Argument(metavar="FILE", help="A URDF, MJCF or SDF file.")]
Folder = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the scene; default: the name of FILE.")]
Root = Annotated[Path | None, typer.Option(help="Folder below which files that FILE names must lie; default: its own.")]
Outside = Annotated[bool, typer.Option("--outside", help="Allow FILE to name files anywhere.")]
KINDS = "What meshes become: mesh, hull, convex, or auto: hull for MJCF, mesh for the others."
Meshes = Annotated[str, typer.Option(help=KINDS)]
Convex = Annotated[bool, typer.Option("--convex", help="The same as --meshes convex: convex parts, by CoACD.")]
Merge = Annotated[bool, typer.Option("--merge-fixed", help="Merge links that a fixed joint holds into their parents.")]
Joints = Annotated[bool, typer.Option("--joints", help="Make links free bodies, and joints elements (URDF, MJCF).")]
Stiffness = Annotated[float, typer.Option(help="Normal stiffness of all laws, N/m; the formats do not give one.")]


@one_sentence
def import_file(file: File, out: Folder = None, root: Root = None, outside: Outside = False, meshes: Meshes = "auto",
                convex: Convex = False, merge: Merge = False, joints: Joints = False,
                stiffness: Stiffness = 1e5) -> None:
    """Write the scene of a URDF, MJCF or SDF file, with one body for each link at the home configuration.

    The scene has collision geometry, masses, inertias, materials by name, and friction where the file gives it. The
    command lists what it does not take over.
    """
    from contactlib.importers import import_model

    folder = out or Path(file.stem)
    progress = Progress(f"converting {file.name}")
    model = import_model(file, folder, root=root, outside=outside, meshes="convex" if convex else meshes, merge=merge,
                         joints=joints, stiffness=stiffness, progress=progress)
    progress.done()
    shapes = sum(len(link.geometry) for link in model.links)
    typer.echo(f"wrote {folder / 'scene.toml'}: {len(model.links)} links, {shapes} shapes, {len(model.pairs)} pairs")
    if model.left_out:
        typer.echo("not taken over:")
    for line in model.left_out:
        typer.echo(f"  {line}")
