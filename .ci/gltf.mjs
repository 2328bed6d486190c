// Validates glTF files with the Khronos validator: no errors, no warnings.
//
// Usage: gltf.mjs FOLDER FILE...
//
// FOLDER is where the package gltf-validator is installed: the one that holds node_modules.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: gltf.mjs FOLDER FILE...");
  process.exit(2);
}
const validator = createRequire(resolve(folder, "package.json"))("gltf-validator");

let failed = false;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(await readFile(file)), { uri: file, maxIssues: 20 });
  const { numErrors, numWarnings, messages } = report.issues;
  const { totalTriangleCount, animationCount, materialCount } = report.info;
  if (numErrors + numWarnings > 0) {
    failed = true;
    console.error(`${file}: ${numErrors} errors, ${numWarnings} warnings`, messages);
  } else {
    console.log(
      `${file}: valid, ${totalTriangleCount} triangles, ${materialCount} materials, ${animationCount} animations` +
        messages.map((message) => `\n  ${message.code} ${message.pointer ?? ""} ${message.message}`).join(""),
    );
  }
}
process.exit(failed ? 1 : 0);
