"""The master that couples an FMU with free-flying bodies, under the name that scripts use.

The code is `contactlib.fmu.master`.

Examples
--------
>>> from contactlib.coupling import couple, mass_properties
"""

from contactlib.fmu.master import CoupledRun, CouplingError, couple, mass_properties

__all__ = ["CoupledRun", "CouplingError", "couple", "mass_properties"]
