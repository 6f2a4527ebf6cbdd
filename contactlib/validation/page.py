"""The frame of the report: its style, and what the kinds of truth mean."""

from __future__ import annotations

from contactlib.report.style import STYLE

#: what a reader must know about each kind
KIND_TEXTS = {
    "analytic": "a closed form, a conservation law, or brute force over the bare definition",
    "published": "numbers or observations that a paper prints",
    "measured": "a measurement of a real system",
    "cross-code": "numbers of another program, written independently",
    "own recording": "recorded from this library: guards against change, is no evidence",
}

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>contactlib: validation report</title>
<style>
""" + STYLE.replace("{", "{{").replace("}", "}}") + """</style></head><body><main>
<header>
<h1>contactlib: validation report</h1>
<p><span class="badge {colour}">{verdict}</span></p>
{sentences}
<p>The cases ran with {how}. A deviation is compared with its tolerance at every row of a series. The column
&ldquo;used&rdquo; is the deviation over the tolerance.</p>
<h3>Kinds of truth</h3>
<table><tr><th>Kind</th><th>Meaning</th><th class=n>Cases that hold</th><th class=n>Comparisons</th></tr>{kinds}</table>
<div class=two><div><h3>Versions</h3><table>{versions}</table></div>
<div><h3>Machine</h3><table>{machine}</table></div></div>
<h3>Command to repeat this report</h3><pre>{command}</pre>
</header>
<section><h2>All cases</h2>
<p>Each line has the comparison that uses most of its tolerance.</p>
<table><tr><th>Case</th><th>Kind</th><th>Source</th><th>Quantity</th><th class=n>Reference</th><th class=n>Ours</th>
<th class=n>Deviation</th><th class=n>Tolerance</th><th class=n>Used</th><th>Verdict</th></tr>
{overview}</table></section>
<section><h2>What is covered</h2>
<p>Laws, pairs of shapes, elements, integrators and coupling, and the cases with outside truth that cover them.</p>
<table>{coverage}</table></section>
{cases}
</main></body></html>
"""
