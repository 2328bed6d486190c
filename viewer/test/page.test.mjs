// The page of a run in a browser: it plays, it shows the run's figures, it complains of nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import * as its from "./common.mjs";

let browser;
before(async () => (browser = await its.browser()));
after(async () => await browser.close());

const page = (out) => join(out, "report.html");
const THREE = [
  { scene: "falling-polyhedra", body: "petal-a-1", times: [0.1, 0.38] },
  { scene: "pendulum-chain", body: "link-8", times: [0, 0.9] },
  { scene: "hexagons-two", body: "near", times: [0, 0.7] },
];

for (const { scene, body, times } of THREE) {
  test(`${scene}: drawn, moving, in light and dark, without complaint`, async () => {
    const out = its.run(scene, scene, "--until", "1");
    const { values: names } = its.array(out, "bodies");
    assert.ok(names.includes(body), names.join());
    for (const colorScheme of ["light", "dark"]) {
      const { page: shown, wrong, context } = await its.open(browser, page(out), { colorScheme });
      const pictures = [];
      for (const time of times) {
        pictures.push(await its.picture(shown, time));
        if (its.shots) await shown.screenshot({ path: join(its.shots, `${scene}-${colorScheme}-${time}.png`) });
      }
      for (const { colours } of pictures) assert.ok(colours > 60, `${colours} colours`);
      assert.ok(its.difference(...pictures) > 100, "the bodies have moved");
      assert.equal(await shown.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      assert.deepEqual(wrong, []);
      await context.close();
    }
  });
}

test("the slider puts every body where the trajectory has it", async () => {
  const out = its.run("falling-polyhedra", "slider", "--until", "1");
  const [times, positions, names] = ["time", "position", "bodies"].map((name) => its.array(out, name));
  const { page: shown, wrong } = await its.open(browser, page(out));
  const [rows, bodies] = positions.shape;
  for (const row of [0, 123, 500, rows - 1]) {
    await shown.locator(".slider").evaluate((slider, time) => {
      slider.value = String(time);
      slider.dispatchEvent(new Event("input"));
    }, times.values[row]);
    assert.match(await shown.locator(".clock").innerText(), new RegExp(`^${times.values[row].toFixed(3)}`));
    for (let b = 0; b < bodies; b++) {
      const found = await shown.evaluate((name) => window.percussion.position(name), names.values[b]);
      for (let axis = 0; axis < 3; axis++) {
        const column = (r) => positions.values[3 * (r * bodies + b) + axis];
        const all = Array.from({ length: rows }, (_, r) => column(r));
        const range = Math.max(...all) - Math.min(...all);
        // Half a step of the 16 bits that a page keeps, and some rounding.
        assert.ok(Math.abs(found[axis] - column(row)) <= range / 131070 + 1e-12, `${names.values[b]} at ${row}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test("plots and tables show the figures of the run", async () => {
  const out = its.run("falling-cube-inelastic", "figures", "--until", "1");
  const told = its.summary(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  await shown.evaluate(() => window.percussion.set(Infinity));
  const close = (a, b, share = 1e-4) => assert.ok(Math.abs(a - b) <= share * Math.abs(b) + 1e-30, `${a} and ${b}`);
  const energy = await its.legend(shown, "energy");
  close(energy.total, told.energy.final);
  close(energy.kinetic, told.energy.kinetic[1]);
  const momentum = await its.legend(shown, "linear-momentum");
  close(momentum.z, told.linear_momentum.final[2]);
  const sources = await its.legend(shown, "sources");
  // A curve is there where something was brought.
  for (const { source, energy } of told.sources) close(sources[source] ?? 0, energy);
  await shown.locator("[data-plot=sources] select").selectOption({ label: "linear momentum z" });
  await shown.waitForFunction((name) => document.querySelector("[data-plot=sources] small").textContent === name, "N s");
  await shown.waitForFunction(() => document.querySelector("[data-plot=sources] .u-value").textContent !== "");
  const momenta = await its.legend(shown, "sources");
  for (const { source, linear_momentum } of told.sources) close(momenta[source] ?? 0, linear_momentum[2]);
  const figures = await shown.locator(".figures").innerText();
  for (const text of [told.scheme, told.version, String(told.steps), String(told.collisions)]) assert.ok(figures.includes(text), text);
  assert.equal(await shown.locator(".events tbody tr").count(), Math.min(200, its.events(out).length));
  const brought = told.sources.filter((c) => [c.energy, ...c.linear_momentum, ...c.angular_momentum].some((v) => v !== 0));
  assert.equal(await shown.locator(".ledger tbody tr").count(), brought.length);
  assert.deepEqual(wrong, []);
});

test("an event is a way to its instant, by click and by key", async () => {
  const out = its.run("falling-polyhedra", "events", "--until", "1");
  const all = its.events(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  const now = () => shown.evaluate(() => window.percussion.time());
  await shown.locator(".events tbody tr button").nth(4).click();
  assert.equal(await now(), all[4].time);
  await shown.locator(".view3d canvas").focus();
  await shown.keyboard.press("n");
  assert.equal(await now(), all.find((event) => event.time > all[4].time + 1e-9).time);
  await shown.keyboard.press("Home");
  assert.equal(await now(), 0);
  await shown.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await now()) - 1e-3) < 1e-12);
  await shown.keyboard.press("End");
  assert.equal(await now(), its.summary(out).t_end);
  await shown.keyboard.press("Home");
  await shown.keyboard.press("Space");
  await shown.waitForFunction(() => window.percussion.time() > 0.05);
  assert.equal(await shown.evaluate(() => window.percussion.playing()), true);
  await shown.keyboard.press("Space");
  assert.equal(await shown.evaluate(() => window.percussion.playing()), false);
  await shown.keyboard.press("?");
  const dialogue = shown.locator("dialog");
  assert.ok(await dialogue.isVisible());
  const licences = await dialogue.innerText();
  for (const name of ["three 0.", "uplot 1."]) assert.ok(licences.includes(name), name);
  await shown.locator("dialog summary").first().click();
  assert.ok((await dialogue.innerText()).includes("Permission is hereby granted"));
  await shown.keyboard.press("Escape");
  assert.ok(!(await dialogue.isVisible()));
  // Everything can be reached with the tabulator.
  await shown.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let k = 0; k < 40; k++) {
    await shown.keyboard.press("Tab");
    reached.add(await shown.evaluate(() => document.activeElement.className || document.activeElement.tagName));
  }
  for (const place of ["play", "slider", "scroll", "link"]) assert.ok(reached.has(place), [...reached].join());
  // A click in a plot goes to the instant under it.
  const plot = shown.locator("[data-plot=energy] .u-over");
  const box = await plot.boundingBox();
  await plot.click({ position: { x: box.width / 2, y: box.height / 2 } });
  assert.ok(Math.abs((await now()) - 0.5) < 0.01);
  assert.deepEqual(wrong, []);
});

test("a body has the colour that its scene gives it", async () => {
  const out = its.run("falling-cube", "painted", "--until", "0.1", "--set", 'bodies.cube.color="#e01010"');
  const { page: shown, wrong } = await its.open(browser, page(out));
  const { bodies } = await shown.evaluate(() => window.percussion.data.runs[0]);
  assert.equal(bodies.find(({ name }) => name === "cube").colour, "#e01010");
  const { pixels } = await its.picture(shown, 0);
  let red = 0;
  for (let k = 0; k < pixels.length; k += 4) red += pixels[k] > 80 && pixels[k] > 4 * Math.max(pixels[k + 1], pixels[k + 2]);
  assert.ok(red > 100, `${red} red pixels`);
  assert.deepEqual(wrong, []);
});

test("a failed run says so first", async () => {
  const scene = new URL("./breaks.toml", import.meta.url).pathname;
  const out = join(its.folder, "breaks");
  assert.throws(() => its.run(scene, "breaks"), { status: 1 });
  const { page: shown, wrong } = await its.open(browser, page(out));
  const concern = await shown.locator(".failure").innerText();
  assert.ok(concern.includes(its.summary(out).failure.message), concern);
  assert.deepEqual(wrong, []);
});

test("several runs lie over each other", async () => {
  const runs = ["falling-cube/tilted", "falling-cube/decomposition-tilted"].map((scene, k) => its.run(scene, `compared-${k}`, "--until", "1"));
  const file = join(its.folder, "comparison.html");
  its.report(...runs, "--out", file);
  const { page: shown, wrong } = await its.open(browser, file);
  assert.equal(await shown.evaluate(() => window.percussion.runs()), 2);
  assert.equal(await shown.locator(".legend label").count(), 2);
  await shown.waitForFunction(() => document.querySelector("[data-plot=energy-error-error] .u-value").textContent === "0");
  const error = await its.legend(shown, "energy-error-error");
  assert.ok("compared-0" in error && "compared-1" in error, Object.keys(error).join());
  assert.ok((await shown.locator("[data-plot=apart]").count()) === 1);
  // The distance of the two at the end is that of the two trajectories.
  await shown.evaluate(() => window.percussion.set(Infinity));
  const apart = (await its.legend(shown, "apart"))["compared-1"];
  const last = runs.map((out) => {
    const { shape, values } = its.array(out, "position");
    const names = its.array(out, "bodies").values;
    const at = 3 * ((shape[0] - 1) * shape[1] + names.indexOf("cube"));
    return values.slice(at, at + 3);
  });
  const wanted = Math.hypot(...last[0].map((x, k) => x - last[1][k]));
  assert.ok(Math.abs(apart - wanted) < 1e-3 * wanted + 1e-4, `${apart} ${wanted}`);
  const pictures = [await its.picture(shown, 0.2), await its.picture(shown, 0.9)];
  assert.ok(its.difference(...pictures) > 100);
  if (its.shots) await shown.screenshot({ path: join(its.shots, "comparison.png"), fullPage: true });
  await shown.locator(".legend input").nth(1).uncheck();
  assert.ok(its.difference(await its.picture(shown, 0.9), pictures[1]) > 100, "the second run has gone");
  const figures = await shown.locator(".figures thead").innerText();
  assert.ok(figures.includes("compared-0") && figures.includes("compared-1"));
  assert.deepEqual(wrong, []);
});

test("a hundred bodies and ten thousand frames fit and play", async () => {
  const scene = new URL("./hundred.toml", import.meta.url).pathname;
  const out = its.run(scene, "hundred");
  const size = statSync(page(out)).size;
  assert.ok(size < 15e6, `${size} bytes`);
  const { page: shown, wrong } = await its.open(browser, page(out));
  assert.equal(await shown.evaluate(() => window.percussion.frames()), 10_000);
  const spent = await shown.evaluate(() => {
    const begin = performance.now();
    // Every body, layer, plot and table follows; only the picture itself is left to the graphics card.
    for (let k = 0; k < 200; k++) window.percussion.set((k * 7.77) % 10);
    return (performance.now() - begin) / 200;
  });
  console.log(`# ${(size / 1e6).toFixed(1)} MB, ${spent.toFixed(1)} ms for an instant of a hundred bodies`);
  if (its.shots) await shown.screenshot({ path: join(its.shots, "hundred.png") });
  assert.deepEqual(wrong, []);
});

test("without 3D the rest of the page works", async () => {
  const out = its.run("gyroscope", "flat", "--until", "0.2");
  const flat = await its.browser("--disable-gpu", "--disable-3d-apis");
  try {
    const { page: shown } = await its.open(flat, page(out));
    assert.match(await shown.locator(".no-webgl").innerText(), /WebGL/);
    await shown.evaluate(() => window.percussion.set(Infinity));
    assert.ok(Math.abs((await its.legend(shown, "energy")).total / its.summary(out).energy.final - 1) < 1e-4);
  } finally {
    await flat.close();
  }
});
