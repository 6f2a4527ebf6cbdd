"""FMUs under masters from elsewhere, in systems for SSP, in other processes, and beside Modelica."""
