// The picture of a page that the README shows: `node screenshot.mjs`, after `cargo build --release`.
//
// The page of falling-polyhedra in a browser, at an instant with impacts, from its top to the end of the first row of plots.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as its from "./test/common.mjs";

/** Bodies are meeting the floor, s. */
const TIME = 0.38;
/** The window, pixels. */
const [WIDTH, HEIGHT] = [1366, 940];
/** Below the last plot that is shown, pixels. */
const MARGIN = 12;

const out = fileURLToPath(new URL("../docs/src/pictures/run.png", import.meta.url));
const browser = await its.browser();
try {
  const folder = its.run("falling-polyhedra", "screenshot");
  const { page, wrong } = await its.open(browser, join(folder, "report.html"), { viewport: { width: WIDTH, height: HEIGHT } });
  await its.picture(page, TIME);
  const bottom = await page.locator(".plots .card").first().evaluate((plot) => plot.getBoundingClientRect().bottom);
  await page.screenshot({ path: out, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(bottom) + MARGIN } });
  if (wrong.length) throw new Error(wrong.join("\n"));
} finally {
  await browser.close();
}
