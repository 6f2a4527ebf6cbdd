"""Makes a result file of what is left of a run that did not end, or of a damaged result file."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from contactlib.results.damage import Remains, explain, is_run_folder, last_entry, remains
from contactlib.results.format import MANIFEST, PART, PER_FRAME, SUFFIX, ResultError, require_pyarrow
from contactlib.results.package import is_whole, write_parquet
from contactlib.results.result import Result, layout_of, read_result
from contactlib.results.writer import finish, pack


def check(path: str | Path) -> Result:
    """Read every table of a result file, with all checksums. Raises as `read_result`."""
    result = read_result(path)
    for name in result.tables:
        rows = len(result.table(name))
        if rows != result.manifest["rows"][name]:
            raise ResultError(f"{path}: its table {name} has {rows} rows, its manifest says "
                              f"{result.manifest['rows'][name]}")
    assert result.scene.name
    return result


def recover(source: str | Path, target: str | Path | None = None) -> Path:
    """Write a result file of what is left of a run, and leave the source as it is.

    Parameters
    ----------
    source : the folder NAME.clr.part of a run that did not end, or a damaged result file.
    target : the new file. By default NAME.clr for a folder if there is no such file, otherwise NAME.recovered.clr.

    Returns
    -------
    Path
        The new file. `read_result` warns of it, and `Result.incomplete` says what is missing.

    Raises
    ------
    ResultError : nothing can be saved, the source is whole, or the target exists.
    OSError : a file cannot be read or written.
    """
    source = Path(source)
    target = _target(source) if target is None else Path(target)
    if target.suffix != SUFFIX:
        raise ValueError(f"out = {target}: the name of a result file must end in {SUFFIX}")
    if target.exists():
        raise ResultError(f"{target} exists: name another file with --out (in Python: target)")
    if source.is_dir():
        return _from_folder(source, target)
    if is_whole(source):
        raise ResultError(f"{source} is whole: there is nothing to recover")
    return _from_file(source, target)


def _target(source: Path) -> Path:
    name, part, _ = source.name.rpartition(f"{SUFFIX}{PART}")
    stem = name if part else source.name.removesuffix(SUFFIX)
    plain = source.with_name(f"{stem}{SUFFIX}")
    return plain if part and not plain.exists() else source.with_name(f"{stem}.recovered{SUFFIX}")


def _from_folder(folder: Path, target: Path) -> Path:
    entry = last_entry(folder) if is_run_folder(folder) else None
    if entry is None or entry.frames == 0:
        raise ResultError(explain(folder))
    manifest = json.loads((folder / MANIFEST).read_bytes())
    if not entry.end:
        manifest["incomplete"] = f"the run did not end; its first {entry.frames} frames are here"
    sizes = {name: piece.size for name, piece in entry.tables.items()}
    return finish(target, folder, manifest, entry.frames, layout_of(manifest).schemas(), sizes)


def _from_file(source: Path, target: Path) -> Path:
    found = remains(source)
    count = found.frames
    if count == 0:
        raise ResultError(explain(source))
    manifest = json.loads(found.members[MANIFEST])
    manifest, tables = _kept(found, manifest, count)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        folder = Path(scratch)
        (folder / "scene").mkdir()
        for name, content in found.members.items():
            (folder / name).write_bytes(content)
        files: dict[str, bytes | Path] = {}
        for name, schema in layout_of(manifest).schemas().items():
            file = folder / f"new_{name}.parquet"
            manifest["rows"][name] = write_parquet(file, schema, tables[name].cast(schema).to_batches())
            files[f"{name}.parquet"] = file
        return pack(target, folder, manifest, files)


def _named(what: str, names: list[str]) -> str:
    """Say which tables or columns are lost, at most eight of them."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"; lost {what}: {', '.join(names[:8])}{more}" if names else ""


def _kept(found: Remains, manifest: dict[str, Any], count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the manifest and the tables of the first frames; lost tables are empty, lost wrenches are nan."""
    arrow = require_pyarrow()
    schemas = layout_of(manifest).schemas()
    lost = [name for name in schemas if name not in found.tables]
    for name, of in (("cable_nodes", "cable_nodes"), ("membranes", "membranes"), ("membrane_triangles", "membranes")):
        if name in lost:
            manifest[of] = {}
    tables = {}
    for name, schema in schemas.items():
        if name in PER_FRAME and name in found.tables:
            tables[name] = found.tables[name].slice(0, count)
        elif name in found.tables:
            table = found.tables[name]
            tables[name] = table.filter(arrow.array(np.less(table.column("frame").to_numpy(), count)))
        elif name == "wrenches":
            times = found.tables["frames"].column("time").slice(0, count)
            missing = arrow.array(np.full(count, np.nan))
            tables[name] = arrow.table([times, *([missing] * (len(schema) - 1))], schema=schema)
        else:
            tables[name] = schema.empty_table()
    if not manifest["membranes"]:
        tables |= {name: schemas[name].empty_table() for name in ("membranes", "membrane_triangles")}
    manifest["incomplete"] = (f"the file was damaged or cut short; {count} of its {manifest['frames']} frames are here"
                              f"{_named('tables', lost)}{_named('columns', found.columns)}")
    return manifest | {"frames": count}, tables
