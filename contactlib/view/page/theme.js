// Colours of the drawing, dark and light. Those of the panels are in style.css.

const PALETTE = {
  light: ["#2f6fb3", "#d9822b", "#3a9a6b", "#8a5bb5", "#c1495b", "#2a9aa5", "#8c7a2e", "#b0568f"],
  dark: ["#5ea0e6", "#f0a04b", "#5cc796", "#b58be0", "#ee7b8a", "#52c5d0", "#cdb85a", "#dd86bf"],
};

const COLOURS = {
  light: {
    background: "#eef2f6", fixed: "#a9b4bf", edges: "#25323f", grid: "#c3ccd5", gridAxis: "#9aa6b2", plane: "#dfe5ea",
    force: "#d4263c", point: "#7a1020", cable: "#4a5560", membrane: "#3a9a6b", selected: "#ffb000", volume: "#7d3fc0",
    text: "#22303c", line: "#d5dce3", muted: "#5b6b79", sky: "#ffffff", ground: "#9aa7b4",
  },
  dark: {
    background: "#12171d", fixed: "#77838f", edges: "#06090c", grid: "#2b343d", gridAxis: "#46525e", plane: "#1d242b",
    force: "#ff5468", point: "#ffc2c9", cable: "#c6cfd8", membrane: "#5cc796", selected: "#ffc640", volume: "#b58be0",
    text: "#dce4ec", line: "#2c353e", muted: "#93a1ae", sky: "#ffffff", ground: "#4a5560",
  },
};

/** The theme of the page, which listeners may follow. */
export class Theme {
  #listeners = [];

  constructor() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("theme");
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.set(wanted === "dark" || wanted === "light" ? wanted : dark ? "dark" : "light");
  }

  set(name) {
    this.name = name;
    this.colours = COLOURS[name];
    this.palette = PALETTE[name];
    document.documentElement.dataset.theme = name;
    for (const listener of this.#listeners) listener(this);
  }

  toggle() {
    this.set(this.name === "dark" ? "light" : "dark");
  }

  /** Call now, and after each change. */
  follow(listener) {
    this.#listeners.push(listener);
    listener(this);
  }

  /** The colour of a series or of a moving body, by number. */
  series(number) {
    return this.palette[number % this.palette.length];
  }
}
