// Runs of the program, a browser to look at their pages, and the numbers they must show.

import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The program: PERCUSSION, or what the release profile built. */
export const program = process.env.PERCUSSION ?? join(root, "target/release/percussion");

/** A folder for runs that goes away with the tests; pictures go to SHOTS, if that is given. */
export const folder = mkdtempSync(join(tmpdir(), "percussion-viewer-"));
export const shots = process.env.SHOTS;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs a scene into a folder of its own, and returns it. */
export function run(scene, name, ...more) {
  const out = join(folder, name);
  execFileSync(program, ["run", scene, "--out", out, ...more], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return out;
}

/** Plans a scene into a folder of its own, and returns it. */
export function plan(scene, name, ...more) {
  const out = join(folder, name);
  execFileSync(program, ["plan", scene, "--quiet", "--out", out, ...more], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return out;
}

/** Writes a page of some runs. */
export function report(...words) {
  execFileSync(program, ["report", ...words], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

/** Starts the program and leaves it to itself. */
export function start(...words) {
  return spawn(program, words, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
}

export const summary = (out) => JSON.parse(readFileSync(join(out, "summary.json"), "utf8"));

export const events = (out) =>
  readFileSync(join(out, "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** An array of trajectory.npz: a zip archive whose members are not compressed. */
export function array(out, name) {
  const file = readFileSync(join(out, "trajectory.npz"));
  const end = file.length - 22;
  let at = file.readUInt32LE(end + 16);
  for (let k = file.readUInt16LE(end + 10); k > 0; k--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const offset = file.readUInt32LE(at + 42);
    if (file.toString("latin1", at + 46, at + 46 + nameLength) === `${name}.npy`) {
      const data = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
      return npy(file, data);
    }
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`${name} is not in the trajectory`);
}

function npy(file, at) {
  const length = file.readUInt16LE(at + 8);
  const header = file.toString("latin1", at + 10, at + 10 + length);
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter((s) => s.trim()).map(Number);
  const kind = /'descr': '([^']*)'/.exec(header)[1];
  const [start, count] = [at + 10 + length, shape.reduce((a, b) => a * b, 1)];
  if (kind === "<f8") return { shape, values: Array.from({ length: count }, (_, k) => file.readDoubleLE(start + 8 * k)) };
  const width = Number(kind.slice(2));
  const text = (k) => Array.from({ length: width }, (_, c) => file.readUInt32LE(start + 4 * (k * width + c))).filter(Boolean);
  return { shape, values: Array.from({ length: count }, (_, k) => String.fromCodePoint(...text(k))) };
}

const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const DRAWING = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export async function browser(...more) {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [...FLAGS, ...(more.length ? more : DRAWING)],
  });
}

/** Opens a page and waits until it shows its run. Whatever it complains of, or asks another machine for, is collected. */
export async function open(browser, place, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 820 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    // The software renderer speaks of its own speed when pixels are read.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall")) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.stack));
  const local = ["file:", "data:", "blob:", "http://127.0.0.1"];
  page.on("request", (request) => {
    if (!local.some((start) => request.url().startsWith(start))) wrong.push(`asks for ${request.url()}`);
  });
  await page.goto(place.startsWith("http") ? place : pathToFileURL(place).href);
  await page.waitForFunction(() => window.percussion?.ready, null, { timeout: 60_000 });
  return { page, wrong, context };
}

/** How many colors the 3D view has, and a few of its pixels, after a picture at a time. */
export async function picture(page, time) {
  return await page.evaluate((time) => {
    window.percussion.set(time);
    window.percussion.draw();
    const canvas = document.querySelector(".view3d canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: 340, height: 160 });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colours = new Set();
    for (let k = 0; k < data.length; k += 4) colours.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    return { colours: colours.size, pixels: Array.from(data) };
  }, time);
}

const NUMBER = /[\u2212-]?[\d.]+(?:e[\u2212-]?\d+)?/;

/** The first number of a text. */
export const value = (text) => Number(NUMBER.exec(text)?.[0].replaceAll("\u2212", "-"));

/** Values in the legend of a plot, by curve. */
export async function legend(shown, id) {
  const rows = shown.locator(`[data-plot=${id}] .u-series`);
  const [names, values] = await Promise.all([".u-label", ".u-value"].map((part) => rows.locator(part).allInnerTexts()));
  return Object.fromEntries(names.map((name, k) => [name.trim(), value(values[k])]));
}

/** Pixels that differ visibly. */
export function difference(a, b) {
  let count = 0;
  for (let k = 0; k < a.pixels.length; k += 4) {
    if ([0, 1, 2, 3].some((c) => Math.abs(a.pixels[k + c] - b.pixels[k + c]) > 24)) count++;
  }
  return count;
}
