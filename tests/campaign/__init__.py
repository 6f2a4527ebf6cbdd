"""Campaigns of runs."""
