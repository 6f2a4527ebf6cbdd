// Connects a live run to the page: the tab of parameters, the grip, arrows whose scale follows the forces, and the plots.

import { Grip } from "./grip.js";
import { Parameters } from "./parameters.js";
import { at, make } from "../text.js";

const REDRAW = 200; // ms between two drawings of the plots
const KEYS = [["R", "start of the scene"], ["Drag a body", "pull it by a spring; while paused, place it"],
  ["Shift drag", "turn it"], ["Alt drag", "turn the view"]];
const ABOUT = "While the run plays, a drag pulls a free body by a spring; while it is paused, a drag places the body. " +
  "With Shift, the drag turns it. A drag on anything else, or with Alt, turns the view.";

/** The tab, before the controls collect all tabs. */
export function addTab() {
  const tab = make("button", { role: "tab", id: "tab-live", "aria-controls": "live" }, "Live");
  const strength = make("input", { type: "number", id: "strength", min: "0", step: "any", value: "1" });
  const panel = make("section", { id: "live", role: "tabpanel", "aria-labelledby": "tab-live", hidden: true },
    make("p", { id: "refused", role: "alert", hidden: true }), make("div", { id: "parameters" }),
    make("button", { id: "defaults" }, "Values of the scene"),
    make("h3", {}, make("label", { for: "strength" }, "Strength of the pull")), strength, make("p", { class: "muted" },
      ABOUT));
  at("tab-about").before(tab);
  at("about").before(panel);
  at("scales").append(make("span", { id: "pull" }));
}

/** The grip, the parameters, the keys, and what follows the run. */
export function connect(view, bar) {
  const { recording, player, controls } = view;
  const parameters = new Parameters(recording, player), grip = new Grip(view);
  bar.onReset = () => player.reset(parameters.changed);
  at("strength").onchange = ({ target }) => {
    if (target.valueAsNumber >= 0) grip.strength = target.valueAsNumber;
  };
  at("keys").append(...KEYS.map(([key, action]) => make("tr", {}, make("th", {}, key), make("td", {}, action))));
  addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=number], select");
    if (event.key === "r" && !event.ctrlKey && !event.metaKey && !typing) bar.onReset();
  });
  player.follow(() => scaleArrows(view));
  player.follow(followPlots(view));
  controls.openTab("tab-live");
  return { parameters, grip };
}

// arrows have the length of the largest force so far
function scaleArrows({ recording, contacts }) {
  const { contact_force: force } = recording.arrays, count = force.length / 3;
  let most = 0;
  for (let k = 0; k < count; ++k) most = Math.max(most, Math.hypot(force[k], force[count + k], force[2 * count + k]));
  if (most <= contacts.largest && contacts.some) return;
  if (most === 0) return;
  contacts.largest = contacts.some ? Math.max(most, 1.3 * contacts.largest) : most;
  contacts.some = true;
  at("arrow-scale").dispatchEvent(new Event("input")); // the legend
}

function followPlots({ recording: { history }, plots }) {
  let last = 0, drawn = -1;
  return () => {
    const now = performance.now();
    if (history.steps === drawn || now - last < REDRAW) return;
    [last, drawn] = [now, history.steps];
    for (const { chart, plot } of plots.shown) {
      chart?.setData([history.time, ...plot.series.map(({ values }) => values())]);
    }
  };
}
