// The list of bodies with their groups, and the card of the selected body: its state, its wrench, its contacts.

import { SoftCard } from "./softcard.js";
import { at, make, number } from "./text.js";

const ROWS = [
  ["r", "position", "m"], ["q", "quaternion", ""], ["v", "velocity", "m/s"], ["w", "angular velocity", "rad/s"],
  ["f", "force", "N"], ["t", "torque", "N m"],
];

const READABLE = 200; // ms between two numbers while the run plays

export class Inspector {
  constructor(recording, bodies, player, plots, theme) {
    Object.assign(this, { recording, bodies, player, plots, selected: -1, shape: -1 });
    this.rows = recording.header.bodies.map((body, number) => this.#row(body, number));
    at("bodies").append(...this.rows);
    this.soft = new SoftCard(recording, player, plots);
    this.#makeCard();
    player.follow(({ frame }) => this.#values(frame), READABLE);
    theme.follow(() => {
      for (const [number, row] of this.rows.entries()) {
        row.querySelector(".dot").style.background = `#${bodies.list[number].colour.getHexString()}`;
      }
    });
  }

  #row(body, number) {
    const eye = make("input", { type: "checkbox", checked: true, "aria-label": `Show ${body.name}` });
    eye.onchange = () => this.hide(number, !eye.checked);
    const name = make("button", { class: "name", onclick: () => this.select(number) }, body.name);
    const about = `${body.motion}, ${body.shapes.length} shape${body.shapes.length === 1 ? "" : "s"}`;
    const row = make("li", {}, make("div", { class: "body" }, eye, make("span", { class: "dot" }), name,
      make("span", { class: "muted" }, about)));
    if (body.groups.length) row.append(this.#groups(body, number));
    return row;
  }

  #groups(body, number) {
    const items = body.groups.map((group, k) => {
      const box = make("input", { type: "checkbox", checked: true, "aria-label": `Show group ${group.name}` });
      box.onchange = () => {
        const below = new Set([k]);
        for (const [j, { parent }] of body.groups.entries()) if (below.has(parent)) below.add(j);
        for (const mesh of this.bodies.list[number].meshes) {
          if (below.has(mesh.userData.group)) mesh.visible = box.checked;
        }
        this.bodies.stage.draw();
      };
      return make("li", {}, make("label", {}, box, ` ${group.name} `, make("span", { class: "muted" }, group.volume)));
    });
    return make("details", {}, make("summary", {}, `${items.length} group${items.length === 1 ? "" : "s"}`),
      make("ul", { class: "groups" }, ...items));
  }

  hide(number, on) {
    this.bodies.show(number, !on);
    this.rows[number].querySelector("input").checked = !on;
    this.rows[number].classList.toggle("hidden", on);
    this.player.seek(this.player.time);
  }

  showAll() {
    for (const number of this.rows.keys()) this.hide(number, false);
  }

  #makeCard() {
    this.cells = {};
    const table = ROWS.map(([part, name, unit]) => {
      this.cells[part] = make("td", { class: part });
      const plot = part === "q" ? "" : make("button", { class: "small", title: `Plot the ${name}`,
        "aria-label": `Plot the ${name}`, onclick: () => this.#plot(part) }, "∿");
      return make("tr", {}, make("th", {}, name), this.cells[part], make("td", { class: "muted" }, unit),
        make("td", {}, plot));
    });
    this.touching = make("p", { class: "muted" });
    at("card-body").replaceChildren(make("table", {}, ...table), this.touching);
    at("card-close").onclick = () => this.select(-1);
    at("card-glass").onclick = () => {
      const on = this.bodies.glass(this.selected);
      at("card-glass").setAttribute("aria-pressed", on);
    };
    at("card-hide").onclick = () => {
      this.hide(this.selected, true);
      this.select(-1);
    };
  }

  #plot(part) {
    this.onPlot?.();
    this.plots.addPart(this.selected, part);
  }

  /** Cables and membranes in the list below the bodies. */
  addSoft(parts) {
    at("bodies").append(...parts.map((part) => make("li", {}, make("div", { class: "body" }, make("button", { class:
      "name", onclick: () => this.selectSoft(part) }, part.entry.name), make("span", { class: "muted" },
    part.entry.nodes === undefined ? "membrane" : "cable")))));
  }

  /** Select a cable or a membrane. */
  selectSoft(part) {
    this.select(-1);
    this.soft.show(part);
  }

  /** Select a body, with the shape that was picked if there is one; -1 for none. */
  select(index, shape = -1) {
    this.soft.show(null);
    Object.assign(this, { selected: index, shape });
    this.bodies.select(index);
    for (const [k, row] of this.rows.entries()) row.classList.toggle("selected", k === index);
    at("card").hidden = index < 0;
    if (index < 0) return;
    const body = this.recording.header.bodies[index];
    at("card-name").textContent = body.name;
    at("card-glass").setAttribute("aria-pressed", this.bodies.list[index].glass);
    const mass = body.mass === null ? "" : `, ${number(body.mass)} kg`;
    const picked = shape < 0 ? "" : ` · ${body.shapes[shape].name}: ${body.shapes[shape].text}`;
    at("card-about").textContent = `${body.motion}${mass}${picked}`;
    this.#values(this.recording.locate(this.player.time).frame);
  }

  #values(frame) {
    if (this.selected < 0) return;
    const digits = matchMedia("(max-width: 760px)").matches ? 3 : 4;
    for (const [part] of ROWS) {
      const values = part === "r" ? this.recording.position(this.selected, frame)
        : this.recording.vector(part, this.selected, frame);
      this.cells[part].replaceChildren(...values.map((x) => make("span", {}, number(x, digits))));
    }
    this.touching.textContent = this.recording.contactSentence(this.selected, frame);
  }
}
