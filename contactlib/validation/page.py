"""The frame of the report: its style, and what the kinds of truth mean."""

from __future__ import annotations

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
body {{ font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; color: #22303c; background: #f4f6f8; margin: 0 }}
main {{ max-width: 78rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }}
header, section {{ background: #fff; border: 1px solid #dfe5ea; border-radius: 6px; padding: 1.1rem 1.5rem }}
header, section {{ margin: 1rem 0 }}
h1 {{ font-size: 1.6rem; margin: 0 0 .3rem }} h2 {{ font-size: 1.15rem; margin: 0 0 .6rem }}
h3 {{ font-size: 1rem; margin: 1.4rem 0 .4rem }} p {{ margin: .3rem 0; max-width: 60rem }}
table {{ border-collapse: collapse; width: 100%; font-size: .88rem }} th {{ text-align: left; color: #5b6b79 }}
td, th {{ padding: .28rem .7rem .28rem 0; border-bottom: 1px solid #e8edf1; vertical-align: top }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
.reason, .source {{ color: #5b6b79; font-size: .82rem }} .reason {{ min-width: 16rem }}
.badge {{ font-size: .75rem; font-weight: 600; padding: .1rem .5rem; border-radius: 9px; color: #fff }}
.badge {{ white-space: nowrap }}
.badge.good {{ background: #2e8b57 }} .badge.bad {{ background: #c0392b }} .badge.own {{ background: #8795a1 }}
.bar {{ display: inline-block; width: 3.2rem; height: .5rem; background: #e8edf1; border-radius: 3px }}
.bar span {{ display: block; height: 100% }} .bar .good {{ background: #5fb489 }} .bar .bad {{ background: #c0392b }}
.used {{ display: inline-block; width: 3.4rem }}
dl {{ display: grid; grid-template-columns: 10rem 1fr; gap: .15rem .8rem; margin: 0 0 .8rem; font-size: .9rem }}
dt {{ color: #5b6b79 }} dd {{ margin: 0 }} .note {{ color: #8a6d1a }} .error {{ color: #c0392b; font-weight: 600 }}
img {{ width: 100%; max-width: 60rem; display: block; margin: .8rem 0 }}
pre {{ background: #f4f6f8; padding: .8rem 1rem; overflow-x: auto; font-size: .82rem; white-space: pre-wrap }}
.two {{ display: grid; grid-template-columns: 1fr 1fr; gap: 2rem }} a {{ color: #1f6fb4; text-decoration: none }}
summary {{ cursor: pointer; color: #1f6fb4; font-size: .9rem }}
@media print {{ body {{ background: #fff }} section {{ break-inside: avoid-page }} }}
</style></head><body><main>
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
