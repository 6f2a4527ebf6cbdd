// The card of a selected cable or membrane: what the element's outputs say of it, now and at most in the run; contacts
// of a cable.

import { at, make, number, quantity } from "./text.js";

const READABLE = 200; // ms between two numbers while the run plays

function about({ name, element, nodes, radius, points }) {
  if (nodes === undefined) return `membrane, ${points} vertices`;
  return `cable ${name.slice(element.length + 1, -1)} of ${element}, ${nodes} nodes, radius ${quantity(radius, "m")}`;
}

export class SoftCard {
  constructor(recording, player, plots) {
    Object.assign(this, { recording, player, plots, part: null });
    player.follow(({ frame }) => this.#values(frame), READABLE);
  }

  #row(signal) {
    const { frames, arrays } = this.recording;
    return arrays.signals.subarray(signal * frames, (signal + 1) * frames);
  }

  /** Show a cable or a membrane; null for none. */
  show(part) {
    this.part?.mark(false);
    this.part = part;
    for (const id of ["card-glass", "card-hide", "card-body"]) at(id).hidden = part !== null;
    at("card-soft").hidden = part === null;
    if (!part) return;
    part.mark(true);
    at("card").hidden = false;
    at("card-name").textContent = part.entry.name;
    at("card-about").textContent = about(part.entry);
    const { values = [] } = part.entry; // none in a live page, which plots them
    this.rows = values.map(({ name, plot, unit, signal }) => ({ name, plot, unit, values: this.#row(signal),
      now: make("td") }));
    this.touching = make("p", { class: "muted" });
    const table = make("table", { hidden: !values.length }, make("tr", {}, make("th"), make("th", {}, "now"),
      make("th", {}, "largest"), make("th")), ...this.rows.map((row) => this.#line(row)));
    at("card-soft").replaceChildren(table, this.touching);
    this.#values(this.recording.locate(this.player.time).frame);
  }

  #line({ name, plot, unit, values, now }) {
    const largest = values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
    const item = this.plots.list.find(({ title }) => title === plot);
    const button = item ? make("button", { class: "small", title: `Plot the ${name}`, "aria-label": `Plot the ${name}`,
      onclick: () => {
        this.onPlot?.();
        this.plots.add(item);
      } }, "∿") : "";
    const shown = unit === "1" ? "" : unit.replace("^2", "²").replace(".", " ");
    return make("tr", {}, make("th", {}, name), now, make("td", {}, number(largest)), make("td", { class: "muted" }, shown),
      make("td", {}, button));
  }

  #values(frame) {
    if (!this.part) return;
    for (const { values, now } of this.rows) now.textContent = number(values[frame]);
    const { side } = this.part; // of a cable
    this.touching.textContent = side === undefined ? "" : this.recording.contactSentence(side, frame);
  }
}
