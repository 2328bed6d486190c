// Makes dist/viewer.html: one file with style, script and licences; the program puts the data of a run into it.

import { build } from "esbuild";
import { readFile, writeFile, mkdir } from "node:fs/promises";

const BUNDLED = ["three", "uplot"];

const licences = {
  name: "licences",
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:licences$/ }, ({ path }) => ({ path, namespace: "licences" }));
    bundle.onLoad({ filter: /.*/, namespace: "licences" }, async () => {
      const entries = await Promise.all(
        BUNDLED.map(async (name) => {
          const folder = `node_modules/${name}`;
          const { version } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
          const text = (await readFile(`${folder}/LICENSE`, "utf8")).replaceAll("\r\n", "\n").trim();
          return { name, version, text };
        }),
      );
      return { contents: `export const licences = ${JSON.stringify(entries)};`, loader: "js" };
    });
  },
};

const common = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "inline", target: "es2022" };
const script = await build({ ...common, entryPoints: ["src/main.ts"], format: "iife", plugins: [licences] });
const style = await build({ ...common, entryPoints: ["src/style.css"] });
const text = (result) => result.outputFiles[0].text.trim();

// A script ends at the first `</script`, also inside a string.
const safe = text(script).replaceAll("</script", "<\\/script");
const template = await readFile("src/template.html", "utf8");
const page = template.replace("%style%", () => text(style)).replace("%script%", () => safe);
await mkdir("dist", { recursive: true });
await writeFile("dist/viewer.html", page);
