// The bar below the view of a live run: play, step, reset, speed, and the forces on the bodies so far.

import { at, clock, make } from "../text.js";

export class LiveBar {
  constructor(recording, player, theme) {
    Object.assign(this, { recording, player, theme, onReset: () => player.reset(new Map()) });
    for (const id of ["back", "scrub", "loop"]) at(id).remove();
    at("forward").title = "One step (→)";
    at("forward").setAttribute("aria-label", "One step");
    at("forward").onclick = () => player.step(1);
    at("play").onclick = () => player.toggle();
    at("track").title = "Height: forces on the bodies so far, by the square root";
    const reset = make("button", { id: "reset", title: "Start of the scene (R)", onclick: () => this.onReset() }, "Reset");
    at("speed").after(reset);
    const choice = at("speed");
    choice.append(...player.speeds.map((speed) => new Option(`${speed} ×`, speed)));
    choice.onchange = () => player.setSpeed(Number(choice.value));
    this.length = { start: 0, end: 1, frames: 1 + 1 / recording.step }; // for the decimals of the clock
    player.follow(() => this.#update());
    theme.follow(() => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(at("activity"));
  }

  #update() {
    const { player } = this;
    at("time").textContent = `${clock(player.time, this.length)} s`;
    const slow = player.playing && player.reached !== null && player.reached < 0.9 * player.speed;
    at("end").textContent = slow ? `runs at ${Number(player.reached.toPrecision(2))} ×` : "";
    at("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    at("play").classList.toggle("playing", player.playing);
    at("speed").value = player.speed;
    const said = [player.problem, ...this.recording.warnings].filter(Boolean).join(" ");
    at("problem").textContent = said;
    at("problem").hidden = !said;
    this.#paint();
  }

  /** The forces since the start. */
  #paint() {
    const canvas = at("activity"), ratio = devicePixelRatio;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!width || !height) return;
    Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d"), { history } = this.recording, loads = history.loads.values;
    let top = 0;
    for (let i = 0; i < history.frames; ++i) top = Math.max(top, loads[i]);
    pen.fillStyle = this.theme.colours.force;
    for (let x = 0; x < width; ++x) {
      const from = Math.floor((x / width) * history.frames), to = Math.floor(((x + 1) / width) * history.frames);
      let most = 0;
      for (let i = from; i < Math.max(from + 1, to); ++i) most = Math.max(most, loads[i]);
      const tall = Math.sqrt(most / (top || 1)) * height;
      pen.fillRect(x, height - tall, 1, tall);
    }
  }
}
