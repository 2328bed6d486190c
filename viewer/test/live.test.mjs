// The page that the program serves: of a run that still computes it follows the end.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as its from "./common.mjs";

let browser;
before(async () => (browser = await its.browser()));
after(async () => await browser.close());

async function until(what, holds) {
  for (let k = 0; k < 300; k++) {
    if (await holds()) return;
    await sleep(100);
  }
  assert.fail(what);
}

/** Serves runs and returns the address. */
async function serve(...runs) {
  const server = its.start("view", ...runs, "--no-open");
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  return { server, url: /http:\S+/.exec(line)[0] };
}

test("a run is followed while it computes, and its figures come at the end", async () => {
  const out = join(its.folder, "live");
  const run = its.start("run", "kepler", "--until", "1e9", "--every", "200", "--out", out);
  await until("the run begins", () => existsSync(join(out, "parts/time.part")));
  const { server, url } = await serve(out);
  try {
    const { page, wrong } = await its.open(browser, url);
    assert.match(await page.locator(".going").innerText(), /Running/);
    const end = () => page.evaluate(() => window.percussion.time());
    const first = await end();
    await until("the page follows", async () => (await end()) > first);
    run.kill("SIGINT");
    await until("the end is told", async () => (await page.locator(".failure").count()) === 1);
    assert.match(await page.locator(".failure").innerText(), /Interrupted/);
    await until("figures", async () => (await page.locator(".figures tbody tr").count()) > 10);
    assert.equal(await page.evaluate(() => window.percussion.time()), its.summary(out).t_end);
    assert.deepEqual(wrong, []);
  } finally {
    run.kill("SIGKILL");
    server.kill();
  }
});

test("files of the run are served, others are not, nor to other names", async () => {
  const out = its.run("free-top", "served", "--until", "0.1");
  const { server, url } = await serve(out);
  try {
    assert.deepEqual(await (await fetch(`${url}summary.json`)).json(), its.summary(out));
    for (const place of ["checkpoint", "../../etc/passwd", "%2e%2e/x", "nothing"]) {
      assert.equal((await fetch(`${url}${place}`)).status, 404, place);
    }
    assert.equal((await fetch(url, { method: "POST" })).status, 403);
    const port = new URL(url).port;
    const { request } = await import("node:http");
    const status = await new Promise((resolve) =>
      request({ host: "127.0.0.1", port, headers: { Host: "example.org" } }, (answer) => resolve(answer.statusCode)).end(),
    );
    assert.equal(status, 403);
  } finally {
    server.kill();
  }
});
