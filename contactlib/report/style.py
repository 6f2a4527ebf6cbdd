"""The style of pages that stand alone: the report of a validation, and credibility sheets."""

from __future__ import annotations

STYLE = """\
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; color: #22303c; background: #f4f6f8; margin: 0 }
main { max-width: 78rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
header, section { background: #fff; border: 1px solid #dfe5ea; border-radius: 6px; padding: 1.1rem 1.5rem }
header, section { margin: 1rem 0 }
h1 { font-size: 1.6rem; margin: 0 0 .3rem } h2 { font-size: 1.15rem; margin: 0 0 .6rem }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem } p { margin: .3rem 0; max-width: 60rem }
table { border-collapse: collapse; width: 100%; font-size: .88rem } th { text-align: left; color: #5b6b79 }
td, th { padding: .28rem .7rem .28rem 0; border-bottom: 1px solid #e8edf1; vertical-align: top }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.reason, .source { color: #5b6b79; font-size: .82rem } .reason { min-width: 16rem }
.badge { font-size: .75rem; font-weight: 600; padding: .1rem .5rem; border-radius: 9px; color: #fff }
.badge { white-space: nowrap }
.badge.good { background: #2e8b57 } .badge.bad { background: #c0392b } .badge.own { background: #8795a1 }
.bar { display: inline-block; width: 3.2rem; height: .5rem; background: #e8edf1; border-radius: 3px }
.bar span { display: block; height: 100% } .bar .good { background: #5fb489 } .bar .bad { background: #c0392b }
.used { display: inline-block; width: 3.4rem }
dl { display: grid; grid-template-columns: 10rem 1fr; gap: .15rem .8rem; margin: 0 0 .8rem; font-size: .9rem }
dt { color: #5b6b79 } dd { margin: 0 } .note { color: #8a6d1a } .error { color: #c0392b; font-weight: 600 }
img { width: 100%; max-width: 60rem; display: block; margin: .8rem 0 }
pre { background: #f4f6f8; padding: .8rem 1rem; overflow-x: auto; font-size: .82rem; white-space: pre-wrap }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem } a { color: #1f6fb4; text-decoration: none }
summary { cursor: pointer; color: #1f6fb4; font-size: .9rem }
@media print { body { background: #fff } section { break-inside: avoid-page } }
"""
