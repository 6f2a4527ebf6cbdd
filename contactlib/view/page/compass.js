// The world axes in the corner of the view: shows where they point, and looks along them.

import { Vector3 } from "three";
import { at } from "./text.js";

const AXES = [["x", [1, 0, 0], "#d4433f"], ["y", [0, 1, 0], "#3f9a4b"], ["z", [0, 0, 1], "#3b76d4"]];
const SIZE = 34, NS = "http://www.w3.org/2000/svg";

function draw(tag, attributes, parent) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

export class Compass {
  constructor(stage) {
    this.stage = stage;
    this.svg = at("compass");
    this.items = AXES.flatMap(([name, direction, colour]) => [1, -1].map((sign) => this.#item(name, direction, colour,
      sign)));
    stage.afterDraw.push(() => this.update());
  }

  #item(name, direction, colour, sign) {
    const axis = new Vector3(...direction).multiplyScalar(sign), group = draw("g", {}, this.svg);
    const line = sign > 0 ? draw("line", { stroke: colour, "stroke-width": 2.5 }, group) : null;
    const fill = sign > 0 ? colour : "var(--panel)";
    const circle = draw("circle", { r: sign > 0 ? 8 : 5, fill, stroke: colour, "stroke-width": 1.5 }, group);
    const label = sign > 0 ? draw("text", { "text-anchor": "middle", dy: "0.35em", fill: "#fff" }, group) : null;
    if (label) label.textContent = name;
    // exactly along z the camera has no upward direction
    const from = axis.clone().add(new Vector3(0, axis.z === 0 ? 0 : -1e-3, 0));
    group.onclick = () => this.stage.lookFrom(from.clone());
    draw("title", {}, group).textContent = `Look from ${sign > 0 ? "+" : "−"}${name}`;
    return { axis, group, line, circle, label };
  }

  update() {
    if (this.shown?.equals(this.stage.camera.quaternion)) return;
    this.shown = this.stage.camera.quaternion.clone();
    const turn = this.stage.camera.quaternion.clone().invert();
    const placed = this.items.map((item) => ({ ...item, p: item.axis.clone().applyQuaternion(turn) }));
    for (const { p, line, circle, label } of placed) {
      const [x, y] = [SIZE * p.x, -SIZE * p.y];
      for (const [element, names] of [[circle, ["cx", "cy"]], [label, ["x", "y"]], [line, ["x2", "y2"]]]) {
        element?.setAttribute(names[0], x);
        element?.setAttribute(names[1], y);
      }
    }
    placed.sort((a, b) => a.p.z - b.p.z);
    const order = placed.map(({ group }) => group);
    if (order.some((group, k) => this.svg.children[k] !== group)) this.svg.append(...order);
  }
}
