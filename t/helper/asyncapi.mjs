// SPDX-License-Identifier: ISC
// asyncapi.mjs FILE: succeeds when @asyncapi/parser (in $MODULES) finds no error or warning.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { Parser } = createRequire(`${process.env.MODULES}/`)("@asyncapi/parser");
const WARNING = 1; // 0 is an error
const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
const bad = diagnostics.filter((d) => d.severity <= WARNING);

for (const d of bad)
	console.log(`${d.path.join(".")}: ${d.message}`);
process.exit(document && bad.length === 0 ? 0 : 1);
