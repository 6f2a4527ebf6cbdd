"""Reads what binaries of FMUs need from the system: ELF, PE and Mach-O files."""
