"""Campaigns run one scene many times with drawn values, store each result and sum them up (docs/campaigns.md)."""

from contactlib.campaign.definition import Campaign, load_campaign
from contactlib.campaign.execute import resume_campaign, run_campaign
from contactlib.campaign.store import Results, Store

__all__ = ["Campaign", "Results", "Store", "load_campaign", "resume_campaign", "run_campaign"]
