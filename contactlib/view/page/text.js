// Numbers and elements of the page as text.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

/** A number with four significant digits; whole digits are not rounded below 1e5. */
export function number(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const whole = size >= 10 ** digits ? x.toFixed(0) : x.toPrecision(digits);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(digits - 2) : whole;
  return text.replaceAll("-", "−");
}

/** The number at a tick of an axis. */
export function tick(x) {
  const size = Math.abs(x);
  const text = size >= 1e5 || (size > 0 && size < 1e-3) ? x.toExponential() : String(Number(x.toPrecision(6)));
  return text.replaceAll("-", "−");
}

/** A quantity with a prefix of its unit, such as "1.2 kN". */
export function quantity(x, unit, digits = 3) {
  if (x === 0) return `0 ${unit}`;
  const [factor, prefix] = PREFIXES.find(([f]) => Math.abs(x) >= 0.9995 * f) ?? PREFIXES.at(-1);
  return `${Number((x / factor).toPrecision(digits))} ${prefix}${unit}`.replace("-", "−");
}

/** The time with as many decimals as the steps between frames need. */
export function clock(t, recording) {
  const step = (recording.end - recording.start) / Math.max(1, recording.frames - 1);
  return t.toFixed(Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(step || 1)))));
}

/** An element by its id. */
export const at = (id) => document.getElementById(id);

/** A new element with attributes, listeners ("onclick") and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element[name] = value;
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}
