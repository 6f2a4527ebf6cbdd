"""Credibility sheets."""
