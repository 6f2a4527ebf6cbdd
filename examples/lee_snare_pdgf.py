"""As lee_snare.py, with a payload of 25 t that is let go again: python examples/lee_snare_pdgf.py."""

from __future__ import annotations

from pathlib import Path

from lee_snare import snared, spec_of

if __name__ == "__main__":
    run = snared(spec_of("lee_snare_pdgf"), 60.0, stop="idle")
    s = run.series
    print("phase         begins     most tension   carriage")
    for name in run.phases[1:]:
        rows = s["phase"] == s["phase"][run.first(name)]
        print(f"{name:<12} {run.time[run.first(name)]:6.2f} s {s['tension'][rows].max():12.0f} N"
              f" {1e3 * s['carriage_position'][rows][-1]:9.1f} mm")
    print(f"the payload leaves at {1e3 * run.states[-1, 1, 9]:.1f} mm/s")
    try:
        from lee_figure import draw_forces

        print(f"wrote {draw_forces(run, Path('out/lee_snare_pdgf/forces.png'))}")
    except ImportError as error:
        print(f"no picture: {error}")
