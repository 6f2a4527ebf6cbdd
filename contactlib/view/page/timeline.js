// The bar below the view: play, step, scrub over the force of the contacts, speed.

import { at, clock } from "./text.js";

export class Timeline {
  constructor(recording, player, theme) {
    Object.assign(this, { recording, player, theme });
    this.slider = at("scrub");
    this.slider.max = recording.frames - 1;
    this.slider.oninput = () => player.seek(recording.time[Number(this.slider.value)]);
    at("play").onclick = () => player.toggle();
    at("back").onclick = () => player.step(-1);
    at("forward").onclick = () => player.step(1);
    at("loop").onclick = () => this.#setLoop(!player.loop);
    const choice = at("speed");
    choice.append(...player.speeds.map((speed) => new Option(`${speed} ×`, speed)));
    choice.onchange = () => player.setSpeed(Number(choice.value));
    this.load = this.#loads();
    this.#setLoop(player.loop);
    player.follow((place) => this.#update(place));
    player.follow(() => this.#controls(), 200);
    theme.follow(() => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(at("activity"));
  }

  #setLoop(on) {
    this.player.loop = on;
    at("loop").setAttribute("aria-pressed", on);
  }

  /** The sum of the contact forces of each frame, N. */
  #loads() {
    const { contact_force: f, contact_first: first } = this.recording.arrays, count = f.length / 3;
    return Float32Array.from({ length: this.recording.frames }, (_, i) => {
      let sum = 0;
      for (let k = first[i]; k < first[i + 1]; ++k) sum += Math.hypot(f[k], f[count + k], f[2 * count + k]);
      return sum;
    });
  }

  #update({ frame }) {
    const { player, recording } = this;
    if (document.activeElement !== this.slider || player.playing) this.slider.value = frame;
    at("time").textContent = `${clock(player.time, recording)} s`;
  }

  /** What changes seldom. */
  #controls() {
    const { player, recording } = this;
    this.slider.setAttribute("aria-valuetext", `${clock(player.time, recording)} seconds`);
    at("end").textContent = `/ ${clock(recording.end, recording)} s`;
    at("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    at("play").classList.toggle("playing", player.playing);
    at("speed").value = player.speed;
  }

  /** The forces over time behind the slider. */
  #paint() {
    const canvas = at("activity"), ratio = devicePixelRatio;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!width || !height) return;
    Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d"), { load } = this;
    const top = load.reduce((a, b) => Math.max(a, b), 0) || 1;
    pen.fillStyle = this.theme.colours.force;
    for (let x = 0; x < width; ++x) {
      const from = Math.floor((x / width) * load.length), to = Math.floor(((x + 1) / width) * load.length);
      let most = 0;
      for (let i = from; i < Math.max(from + 1, to); ++i) most = Math.max(most, load[i]);
      const tall = Math.sqrt(most / top) * height; // the root shows small forces beside large ones
      pen.fillRect(x, height - tall, 1, tall);
    }
  }
}
