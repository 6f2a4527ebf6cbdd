// The panel of a live run: a field for each parameter and command that the scene accepts while it runs.

import { ContactError } from "./run.js";
import { at, make } from "../text.js";

const LOADS = /\.(f_ext|t_ext|r|q|v|w)\[\d\]$/; // what the grip sets
const FIXED = /^(step_size|coupling|next_step|resolve_in|wrench_output)$/; // not of a law, an element or a body

/** The variables with a field, by what stands before the dot of their names. */
function groups(variables) {
  const found = new Map();
  for (const variable of variables) {
    const command = variable.causality === "input" && !LOADS.test(variable.name);
    const parameter = variable.causality === "parameter" && variable.tunable;
    if (!(command || parameter) || variable.type !== "real" || FIXED.test(variable.name)) continue;
    const group = variable.name.slice(0, variable.name.lastIndexOf("."));
    if (!found.has(group)) found.set(group, []);
    found.get(group).push(variable);
  }
  return found;
}

export class Parameters {
  /** Values that differ from those of the scene, by name. */
  changed = new Map();

  constructor(recording, player) {
    Object.assign(this, { recording, player, fields: new Map() });
    const found = groups(recording.scene.variables);
    at("parameters").replaceChildren(...[...found].map(([group, variables]) => this.#group(group, variables)));
    if (!found.size) at("parameters").textContent = "The scene has no parameters that can change while it runs.";
    at("defaults").onclick = () => this.#defaults();
  }

  #group(group, variables) {
    const rows = variables.map((variable) => {
      const field = make("input", { type: "number", step: "any", value: variable.start, id: `set-${variable.name}` });
      field.onchange = () => this.set(variable.name, field.valueAsNumber);
      this.fields.set(variable.name, { field, variable });
      const label = make("label", { for: field.id, title: variable.description }, variable.name.slice(group.length + 1));
      return make("tr", {}, make("th", {}, label), make("td", {}, field), make("td", { class: "muted" },
        variable.unit === "1" ? "" : variable.unit));
    });
    return make("section", {}, make("h3", {}, group), make("table", {}, ...rows));
  }

  /** Set one parameter; a refused value changes nothing, and the core's sentence is shown. */
  set(name, value) {
    const { field, variable } = this.fields.get(name);
    const refused = this.#apply(new Map([[name, value]]));
    at("refused").textContent = refused;
    at("refused").hidden = !refused;
    field.classList.toggle("refused", Boolean(refused));
    if (refused) return;
    if (value === variable.start) this.changed.delete(name);
    else this.changed.set(name, value);
    field.classList.toggle("changed", value !== variable.start);
  }

  #apply(values) {
    try {
      this.recording.set(values);
    } catch (error) {
      if (error instanceof ContactError) return error.message;
      throw error;
    }
    this.recording.capture();
    this.player.seek();
    return "";
  }

  // all together, for some go only with others
  #defaults() {
    const refused = this.#apply(new Map([...this.changed.keys()].map((name) =>
      [name, this.fields.get(name).variable.start])));
    at("refused").textContent = refused;
    at("refused").hidden = !refused;
    if (refused) return;
    this.changed.clear();
    for (const { field, variable } of this.fields.values()) {
      field.value = variable.start;
      field.classList.remove("changed", "refused");
    }
  }
}
