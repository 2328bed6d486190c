// The page of a plan in a browser: what the search came to, control inputs, clearance, and planned contacts to go to.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import * as its from "./common.mjs";

let browser;
before(async () => (browser = await its.browser()));
after(async () => await browser.close());

const page = (out) => join(out, "report.html");
const close = (a, b, share = 1e-4) => assert.ok(Math.abs(a - b) <= share * Math.abs(b) + 1e-30, `${a} and ${b}`);

/** Rows of a table of the card: the first cell and the others. */
async function table(shown, name) {
  const rows = await shown.locator(`.plan [aria-label="${name}"] tbody tr`).all();
  return await Promise.all(rows.map(async (row) => [await row.locator("th").innerText(), ...(await row.locator("td").allInnerTexts())]));
}

/** Columns of an array of the trajectory. */
function columns(out, name) {
  const { shape, values } = its.array(out, name);
  return Array.from({ length: shape[1] }, (_, c) => Array.from({ length: shape[0] }, (_, r) => values[r * shape[1] + c]));
}

/** Pixels of a plot that have about a colour. */
async function painted(shown, plot, colour) {
  return await shown.evaluate(
    ([plot, colour]) => {
      const probe = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(colour).trim();
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      const canvas = document.querySelector(`[data-plot=${plot}] canvas`);
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let k = 0; k < data.length; k += 4) {
        if (data[k + 3] > 200 && Math.abs(data[k] - r) + Math.abs(data[k + 1] - g) + Math.abs(data[k + 2] - b) < 24) count++;
      }
      return count;
    },
    [plot, colour],
  );
}

test("the card of a plan has the figures of its summary", async () => {
  const out = its.plan("cube-wall", "card");
  const { plan, steps, t_end, h } = its.summary(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  const rows = Object.fromEntries((await table(shown, "plan")).map(([name, value]) => [name, value]));
  assert.equal(rows.outcome, plan.outcome);
  close(its.value(rows["objective of the guess"]), plan.objective_guess);
  close(its.value(rows["objective of the solution"]), plan.objective, 1e-6);
  assert.equal(rows["iterations, rounds"], `${plan.iterations}, ${plan.rounds}`);
  close(its.value(rows["violation of constraints"]), plan.violation_max, 0.05);
  close(its.value(rows["violation of stationarity"]), plan.stationarity_max, 0.05);
  close(its.value(rows["momentum consistency"]), plan.momentum_consistency_max, 0.05);
  close(its.value(rows["contacts at"]), plan.contact_times[0], 1e-5);
  close(its.value(rows["clearance at nodes"]), plan.clearance, 0.05);
  close(its.value(rows["clearance between nodes"]), plan.clearance_between, 0.05);
  const phases = await table(shown, "phases");
  assert.deepEqual(
    phases.map(([, nodes]) => nodes),
    [`0 to ${plan.contacts[0].node}`, `${plan.contacts[0].node} to ${steps}`],
  );
  phases.forEach(([, , , scale, interval], k) => {
    close(its.value(scale), plan.sigma[k], 1e-5);
    close(its.value(interval), plan.sigma[k] * h, 1e-3);
  });
  close(its.value(phases[1][2].split(" to ")[1]), t_end);
  // Active constraints are in groups, with the largest multiplier of each; control inputs are at their bounds there.
  const active = await table(shown, "active constraints");
  close(its.value(active[0].at(-1)), plan.active_constraints[0].multiplier, 1e-3);
  const lower = active.find(([name]) => name === "torque.x, lower bound");
  const torque = columns(out, "controls")[its.array(out, "control_names").values.indexOf("torque.x")];
  const least = its.array(out, "control_bounds").values[2 * its.array(out, "control_names").values.indexOf("torque.x")];
  const own = torque.slice(0, steps).flatMap((value, k) => (value - least < 2e-6 ? [k] : []));
  assert.ok(own.length > 1);
  const numbers = lower[1].match(/\d+ to \d+|\d+/g).flatMap((part) => {
    const [from, to = from] = part.split(" to ").map(Number);
    return Array.from({ length: to - from + 1 }, (_, k) => from + k);
  });
  assert.deepEqual(numbers, own);
  if (its.shots) await shown.screenshot({ path: join(its.shots, "plan.png"), fullPage: true });
  assert.deepEqual(wrong, []);
});

test("control inputs are steps between their bounds, and clearance lies above its margin", async () => {
  const out = its.plan("cube-wall", "inputs");
  const names = its.array(out, "control_names").values;
  const [times, controls] = [its.array(out, "time").values, columns(out, "controls")];
  const [[at], [between]] = ["clearance", "clearance_between"].map((name) => columns(out, name));
  const { page: shown, wrong } = await its.open(browser, page(out));
  for (const node of [3, 17, times.length - 1]) {
    await shown.evaluate((time) => window.percussion.set(time), times[node]);
    const shownNow = { ...(await its.legend(shown, "controls-forces")), ...(await its.legend(shown, "controls-torques")) };
    names.forEach((name, k) => close(shownNow[name], controls[k][node]));
    const clear = await its.legend(shown, "clearance");
    close(clear["at nodes"], at[node]);
    close(clear["between nodes"], between[node]);
  }
  // Bounds of the torques are near and drawn; those of the forces are far away and told.
  assert.ok((await painted(shown, "controls-torques", "--ink-soft")) > 200);
  assert.match(await shown.locator("[data-plot=controls-forces] .note").innerText(), /outside of the plot: −0.002, 0.002/);
  assert.ok((await painted(shown, "clearance", "--curve-0")) > 200);
  // The search ends with the objective of the summary, wherever the playback is.
  close((await its.legend(shown, "search")).objective, its.summary(out).plan.objective);
  assert.equal((await its.legend(shown, "search")).iteration, its.summary(out).plan.iterations);
  assert.deepEqual(wrong, []);
});

test("dotted lines are where rounds of the search begin, and starts are counted", async () => {
  const out = its.plan("two-cubes", "rounds", "--set", 'plan.controls.torque={ kind = "torque", body = "pusher" }', "--set", 'plan.search={ starts = 1 }');
  const { plan } = its.summary(out);
  const numbers = columns(out, "search")[0];
  const begin = numbers.flatMap((round, k) => (k > 0 && round !== numbers[k - 1] ? [k] : []));
  assert.ok(begin.length >= 2 && begin.length === numbers.at(-1) - 1);
  const { page: shown, wrong } = await its.open(browser, page(out));
  const lines = shown.locator("[data-plot=search] .round");
  assert.equal(await lines.count(), begin.length);
  // The picture of the curves is as wide as the iterations.
  const over = await shown.locator("[data-plot=search] .u-over").boundingBox();
  for (const [k, at] of begin.entries()) {
    const { x, height } = await lines.nth(k).boundingBox();
    assert.ok(Math.abs(x - over.x - (over.width * at) / (numbers.length - 1)) < 1.5, `${x} for iteration ${at}`);
    assert.ok(Math.abs(height - over.height) < 1);
  }
  assert.match(await shown.locator("[data-plot=search] .note").innerText(), new RegExp(`${numbers.at(-1)} rounds, separated by dotted`));
  const rows = Object.fromEntries((await table(shown, "plan")).map(([name, value]) => [name, value]));
  assert.equal(rows["best of the starts"], `${plan.start} of 2`);
  // A search of one round has none.
  const { page: other } = await its.open(browser, page(its.plan("cube-wall", "one-round")));
  assert.equal(await other.locator("[data-plot=search] .round").count(), 0);
  assert.deepEqual(wrong, []);
});

test("a planned contact is a way to its instant", async () => {
  const out = its.plan("two-cubes", "contacts");
  const { plan } = its.summary(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  const rows = shown.locator(".events tbody tr");
  assert.equal(await rows.count(), plan.contacts.length);
  for (const [k, contact] of plan.contacts.entries()) {
    await rows.nth(k).locator("button").click();
    assert.equal(await shown.evaluate(() => window.percussion.time()), contact.time);
    const cells = await rows.nth(k).locator("td").allInnerTexts();
    assert.deepEqual([cells[1], cells[2]], [String(contact.node), contact.bodies.join(", ")]);
    close(its.value(cells[5]), Math.hypot(...contact.impulse), 1e-3);
    const scales = cells[7].split(", ").map(its.value);
    scales.forEach((scale, j) => close(scale, plan.sigma[k + j], 1e-3));
    assert.equal(scales.length, 2);
  }
  await shown.keyboard.press("Home");
  await shown.keyboard.press("n");
  assert.equal(await shown.evaluate(() => window.percussion.time()), plan.contacts[0].time);
  assert.deepEqual(wrong, []);
});

test("a plan without contacts says why, and sources without contribution are not listed", async () => {
  const out = its.plan("cube-wall-penalty", "penalty");
  const { sources } = its.summary(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  assert.match(await shown.locator(".events").innerText(), /No contact is planned: contact is a potential/);
  const idle = sources.filter((c) => [c.energy, ...c.linear_momentum, ...c.angular_momentum].every((v) => v === 0));
  assert.ok(idle.length > 0);
  const ledger = await shown.locator(".ledger tbody th").allInnerTexts();
  assert.deepEqual(ledger, sources.filter((c) => !idle.includes(c)).map((c) => c.source));
  const curves = Object.keys(await its.legend(shown, "sources"));
  assert.ok(idle.every(({ source }) => !curves.includes(source)), curves.join());
  assert.equal(await shown.locator("[data-plot=clearance]").count(), 0);
  assert.deepEqual(wrong, []);
});

test("a shooting problem shows its unknowns, residuals and iterations", async () => {
  const out = its.plan("shooting-circle", "shooting");
  const { shoot } = its.summary(out);
  const { page: shown, wrong } = await its.open(browser, page(out));
  const unknowns = await table(shown, "unknowns");
  assert.deepEqual(unknowns.map(([name]) => name), shoot.unknowns.map(({ name }) => name));
  unknowns.forEach(([, guess, found], k) => {
    close(its.value(guess), shoot.unknowns[k].guess);
    close(its.value(found), shoot.unknowns[k].value, 1e-8);
  });
  (await table(shown, "targets")).forEach(([, missed], k) => close(its.value(missed), shoot.targets[k].residual, 0.05));
  close((await its.legend(shown, "search")).residual, shoot.residuals.at(-1));
  assert.equal(await shown.locator(".failure").count(), 0);
  // Impacts divide a step of the shot, which is not that of the scene: a whole one is one.
  await shown.evaluate(() => window.percussion.set(0.1));
  assert.equal((await its.legend(shown, "substep"))["smallest substep"], 1);
  assert.deepEqual(wrong, []);
});

test("labels of times do not touch, however narrow the window", async () => {
  const out = its.plan("cube-wall", "labels");
  for (const width of [1366, 900, 420]) {
    const { page: shown, wrong, context } = await its.open(browser, page(out), { viewport: { width, height: 800 } });
    // What a plot writes is asked of its canvas while it draws anew.
    const apart = await shown.evaluate(async () => {
      const labels = [];
      const write = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
        const { e, f } = this.getTransform();
        labels.push({ canvas: this.canvas, x: x + e, y: y + f, width: this.measureText(text).width });
        return write.call(this, text, x, y, ...more);
      };
      document.querySelector(".buttons button:last-child").click();
      await new Promise((resolve) => setTimeout(resolve, 300));
      CanvasRenderingContext2D.prototype.fillText = write;
      const gaps = [];
      for (const a of labels) {
        // Labels of an axis below are on one line, centred at their places.
        const after = labels.filter((b) => b.canvas === a.canvas && Math.abs(b.y - a.y) < 1 && b.x > a.x);
        const next = after.sort((b, c) => b.x - c.x)[0];
        if (next) gaps.push((next.x - a.x - (next.width + a.width) / 2) / devicePixelRatio);
      }
      return gaps;
    });
    assert.ok(apart.length > 20, `${apart.length} neighbours`);
    assert.ok(Math.min(...apart) > 4, `${Math.min(...apart)} pixels at ${width}`);
    assert.deepEqual(wrong, []);
    await context.close();
  }
});
