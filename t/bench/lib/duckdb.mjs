// SPDX-License-Identifier: ISC
// DuckDB in its own process: statements in, one a line as JSON; times and rows out. A statement is timed from its start to its
// last row in hand: us, prepared once; whole_us, parsed and planned each time, as a server has to.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const { DuckDBInstance, version } = require("@duckdb/node-api");
const instance = await DuckDBInstance.create(":memory:", { threads: process.argv[3] });
const db = await instance.connect();
const prepared = new Map();

async function answer({ run, query }) {
	if (run !== undefined) {
		await db.run(run);
		return {};
	}
	if (!prepared.has(query))
		prepared.set(query, await db.prepare(query));
	const start = process.hrtime.bigint();
	const rows = (await prepared.get(query).runAndReadAll()).getRows();
	const us = Number(process.hrtime.bigint() - start) / 1000;
	const again = process.hrtime.bigint();
	(await db.runAndReadAll(query)).getRows();
	const wholeUs = Number(process.hrtime.bigint() - again) / 1000;
	return { us, whole_us: wholeUs, rows: rows.map((row) => row.map(Number)) };
}

console.log(JSON.stringify({ version: version() }));
for await (const line of createInterface({ input: process.stdin })) {
	let out;
	try {
		out = await answer(JSON.parse(line));
	} catch (error) {
		out = { error: String(error) };
	}
	console.log(JSON.stringify(out));
}
