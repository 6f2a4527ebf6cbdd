"""Credibility sheets: what the results of a scene are worth, and how one knows (docs/credibility.md).

Main names
    read_facts : what credibility.toml says of a scene, with the inputs of the scene
    credibility_sheet : the sheet as a document
    run_sensitivity : elementary effects of uncertain inputs, by a campaign
    overview : one row for each shipped scene
"""

from contactlib.credibility.convergence import Convergence, measure_convergence
from contactlib.credibility.coverage import Coverage, coverage
from contactlib.credibility.definition import Facts, Pedigree, read_facts
from contactlib.credibility.inputs import Input, scene_inputs
from contactlib.credibility.overview import overview
from contactlib.credibility.sensitivity import Sensitivity, read_sensitivity, run_sensitivity, write_sensitivity
from contactlib.credibility.sheet import Evidence, credibility_sheet

__all__ = ["Convergence", "Coverage", "Evidence", "Facts", "Input", "Pedigree", "Sensitivity", "coverage",
           "credibility_sheet", "measure_convergence", "overview", "read_facts", "read_sensitivity", "run_sensitivity",
           "scene_inputs", "write_sensitivity"]
