"""The commands `contactlib result check`, `result recover` and `result export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.common.files import write_whole
from contactlib.report import run_report
from contactlib.results import Result, check, read_result, recover

result_app = typer.Typer(
    help="Check, recover and export result files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The .clr file of a run.")]
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="A damaged .clr file, or the folder NAME.clr.part.")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: NAME.clr or "
                                              "NAME.recovered.clr.")]
Export = Annotated[Path, typer.Option("-o", "--out", help="File to write: .csv, .glb (glTF) or .pvd (VTK).")]
Every = Annotated[int, typer.Option(help="Export each N-th frame, and the last one.", metavar="N")]
Follow = Annotated[str | None, typer.Option(metavar="BODY", help="Body at whose position the origin is, for .glb and "
                                            ".pvd; for motion in orbit.")]
TABLE = "Table for .csv, such as contacts. Default: states, wrenches and outputs in one table."
Table = Annotated[str | None, typer.Option(metavar="TABLE", help=TABLE)]


@result_app.command("check")
@one_sentence
def result_check(file: File) -> None:
    """Read all of a result file with its checksums, and print its contents. Exits with 1 if the file is damaged."""
    typer.echo(describe(check(file)))


def describe(result: Result) -> str:
    """Return a few lines on a result: frames, bodies, rows of tables, machine."""
    manifest = result.manifest
    lines = [f"{result.path}: {'INCOMPLETE: ' + result.incomplete if result.incomplete else 'whole'}",
             f"  scene {manifest['name']}, model {manifest['model'][:12]}, by {manifest['source']}",
             f"  {len(result)} frames, {result.time[0]:g} to {result.time[-1]:g} s" if len(result) else "  no frames",
             f"  bodies: {', '.join(result.bodies)}"]
    lines += [f"  {name + ' ':.<24} {rows} rows" for name, rows in manifest["rows"].items()]
    lines += [f"  warning: {sentence}" for sentence in result.warnings]
    return "\n".join(lines)


@result_app.command("recover")
@one_sentence
def result_recover(source: Source, out: NewFile = None) -> None:
    """Save what is left of a run that was killed, or of a damaged result file, as a new file.

    The source stays as it is. The new file names what is missing, whenever it is opened.
    """
    path = recover(source, out)
    typer.echo(f"wrote {path}\n{describe(read_result(path))}")


@result_app.command("export")
@one_sentence
def result_export(file: File, out: Export, every: Every = 1, follow: Follow = None, table: Table = None) -> None:
    """Write a result file as CSV, as glTF with animation, or as a VTK series for ParaView."""
    from contactlib.exports import write_gltf, write_vtk

    result = read_result(file)
    if table is not None and out.suffix != ".csv":
        raise ValueError(f"--table = {table}: is for .csv files, and --out is {out}")
    if out.suffix == ".glb":
        write_gltf(result, out, every=every, follow=follow)
    elif out.suffix == ".pvd":
        write_vtk(result, out, every=every, follow=follow)
    elif out.suffix == ".csv":
        write_table(result, out, every, table)
    else:
        raise ValueError(f"--out = {out}: must end in .csv, .glb or .pvd")
    typer.echo(f"wrote {out} ({out.stat().st_size / 1024:.0f} KiB)")


def write_table(result: Result, out: Path, every: int, table: str | None) -> None:
    """Write a table as CSV; numbers of a table have all their digits."""
    if table is None:
        run_report.write_csv(out, run_report.thin(result.trajectory, every))
        return
    from pyarrow import csv

    rows = result.table(table)
    if "frame" in rows.column_names:
        frames = rows.column("frame").to_numpy()
        rows = rows.filter((frames % every == 0) | (frames == len(result) - 1))
    else:
        rows = rows.take(sorted({*range(0, len(rows), every), len(rows) - 1}))
    options = csv.WriteOptions(quoting_style="needed")
    write_whole(out, lambda target: csv.write_csv(rows, target, options))
