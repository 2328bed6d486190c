// Ranges of axes, and the round numbers on them.

import { number } from "./dom.ts";

/** Pixels of a digit, and between two labels. */
const [DIGIT, SPACE] = [6.2, 12];
/** Pixels from a label to that above it, at least. */
const LINE = 20;

/** Round numbers from low to high, so many that their labels do not touch on `size` pixels. */
export function roomy(low: number, high: number, size: number, way: "across" | "up"): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  let power = 10 ** Math.floor(Math.log10(span / size));
  for (let k = 0; k < 30; k++) {
    const step = power * [1, 2, 5][k % 3];
    const ticks = multiples(low, high, step, size);
    const widest = way === "up" ? LINE : Math.max(...labels(ticks).map((text) => text.length)) * DIGIT + SPACE;
    if ((step / span) * size >= widest) return ticks;
    if (k % 3 === 2) power *= 10;
  }
  return [low];
}

function multiples(low: number, high: number, step: number, most: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.min(Math.floor(high / step + 1e-9) - first + 1, most);
  return Array.from({ length: Math.max(count, 0) }, (_, k) => (first + k) * step);
}

/** Powers of ten from low to high, at most seven of them. */
export function powers(low: number, high: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const stride = Math.max(1, Math.ceil((last - first) / 6));
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, k) => 10 ** (first + k * stride));
}

/** As many digits as distinguish neighbours. */
export function labels(ticks: number[]): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  const step = Math.abs(ticks[1] - ticks[0]) || largest;
  const digits = Math.min(12, Math.max(1, Math.ceil(Math.log10(largest / step) + 1e-9) + 1));
  // A tick at zero, up to rounding.
  return ticks.map((v) => number(Math.abs(v) < 1e-9 * step ? 0 : v, digits));
}

/** Labels of powers have one digit. */
export function powerLabels(ticks: number[]): string[] {
  return ticks.map((v) => number(v, 1));
}

/** A range that contains some values more. */
export function widened(low: number | null, high: number | null, values: number[]): [number | null, number | null] {
  if (low === null || high === null) return [low, high];
  return [Math.min(low, ...values), Math.max(high, ...values)];
}

/** A range with a margin; around a constant, a band. */
export function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  // What differs in its last digits only is constant.
  const flat = high - low < 1e-6 * size || size < 1e-300;
  const air = flat ? 0.05 * size || 1 : 0.06 * (high - low);
  return [low - air, high + air];
}

/** Maximum number of decades of a logarithmic axis; more for a search. */
const [MOST_DECADES, SEARCHED_DECADES] = [10, 20];

/** Whole decades around the values. */
export function decades(low: number | null, high: number | null, few: boolean): [number, number] {
  if (!low || !high || !(low > 0)) return [1e-16, 1];
  const top = Math.ceil(Math.log10(high) + 1e-9);
  return [10 ** Math.max(Math.floor(Math.log10(low)), top - (few ? MOST_DECADES : SEARCHED_DECADES)), 10 ** top];
}
