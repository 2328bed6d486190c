// Small helpers for the page's elements and numbers.

type Child = Node | string | null | undefined | false;

/** An element with attributes and children. Attributes that are functions listen: `onclick`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((c): c is Node | string => Boolean(c)));
  return element;
}

/** A number as text: four digits, an exponent only where it is needed. */
export function number(value: number, digits = 4): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${trimmed(mantissa)}e${Number(exponent)}`;
  }
  return trimmed(size >= 10 ** digits ? value.toFixed(0) : value.toPrecision(digits));
}

/** A small number, such as an error: two digits. */
export function small(value: number): string {
  return number(value, 2);
}

/** A component below the rounding of the others is shown as zero. */
const ROUNDING = 1e-16;

export function vector(v: ArrayLike<number>, digits = 4): string {
  const all = Array.from(v);
  const least = ROUNDING * Math.max(...all.map(Math.abs));
  return all.map((x) => number(Math.abs(x) < least ? 0 : x, digits)).join(", ");
}

/** A number without the zeros behind its point; the sign a true minus. */
function trimmed(text: string): string {
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return short.replace("-", "\u2212");
}

/** Digits of a time that distinguish two frames. */
export function clock(time: number, spacing: number): string {
  const digits = Math.min(9, Math.max(2, Math.ceil(-Math.log10(Math.max(spacing, 1e-9))) + 1));
  return time.toFixed(digits);
}

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
