"""Validation: its command, its report, its cases, and mutations of the core that must turn a case red."""
