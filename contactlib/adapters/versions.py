"""The simulators that the adapters use: which versions, and a sentence if a version does not fit."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Sequence
from functools import reduce


def require(extra: str, package: str, lowest: str, needs: Sequence[str]) -> None:
    """Check that a simulator is installed, in a version that the adapter can use.

    Parameters
    ----------
    extra : name of the adapter, and of the extra that installs its simulator.
    package : name of the simulator on PyPI.
    lowest : lowest version that the adapter supports.
    needs : what the adapter uses, as "module:name", such as "mujoco:mj_comVel"; later versions may have lost it.

    Raises
    ------
    ImportError : the package is missing, too old, or has lost something that the adapter needs. The sentence names the
        version that was found.

    Examples
    --------
    >>> require("mujoco", "numpy", "1.0", ["numpy:linalg.inv"])
    >>> require("mujoco", "numpy", "99", [])    # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ImportError: contactlib.adapters.mujoco needs numpy >= 99; found ...: pip install 'contactlib[mujoco]'
    """
    adapter, remedy = f"contactlib.adapters.{extra}", f"pip install 'contactlib[{extra}]'"
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(f"{adapter} needs {package} >= {lowest}; it is not installed: {remedy}") from None
    if _release(found) < _release(lowest):
        raise ImportError(f"{adapter} needs {package} >= {lowest}; found {found}: {remedy}")
    for need in needs:
        module, _, name = need.partition(":")
        try:
            reduce(getattr, name.split("."), importlib.import_module(module))
        except (ImportError, AttributeError):
            raise ImportError(f"{adapter} needs {package} >= {lowest} with {module}.{name}; found {found}, which has "
                              f"no {module}.{name}: install an earlier version of {package}") from None


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version: (3, 2, 1) for "3.2.1rc2".

    >>> _release("3.10") > _release("3.2.1rc2")
    True
    """
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in match[0].split(".")) if match else ()
