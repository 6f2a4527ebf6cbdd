"""Figures, sections, tables and pages about scenes and runs."""
