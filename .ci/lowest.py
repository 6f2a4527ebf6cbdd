"""The lowest versions that pyproject.toml allows, as constraints for pip: python .ci/lowest.py EXTRA... > FILE."""

import re
import sys
import tomllib
from pathlib import Path

LOWEST = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*>=\s*([0-9][0-9a-z.]*)")


def constraints(project: dict, extras: list[str]) -> list[str]:
    """One `name==version` for each dependency of the package and of these extras."""
    wanted = [*project["dependencies"], *(text for extra in extras for text in project["optional-dependencies"][extra])]
    found = {}
    for text in wanted:
        match = LOWEST.match(text)
        if match is None:
            raise SystemExit(f"pyproject.toml: '{text}' has no lowest version, such as 'numpy>=2'")
        if found.setdefault(match[1], match[2]) != match[2]:
            raise SystemExit(f"pyproject.toml: '{match[1]}' has two lowest versions, {found[match[1]]} and {match[2]}")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    tables = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    print("\n".join(constraints(tables["project"], sys.argv[1:])))
