// SPDX-License-Identifier: ISC
// ClickHouse of the npm package chdb, in its own process: statements in, one a line as JSON; times and tab-separated rows
// out. A statement is timed from its start to its last row in hand.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const { Session } = require("chdb");
const session = new Session(path.resolve(process.argv[3]));
session.query("CREATE DATABASE IF NOT EXISTS bench");
session.query("USE bench");

function answer({ run, query }) {
	if (run !== undefined) {
		session.query(run);
		return {};
	}
	const start = process.hrtime.bigint();
	const text = session.query(query, "TabSeparated");
	return { us: Number(process.hrtime.bigint() - start) / 1000, text };
}

console.log(JSON.stringify({ version: session.query("SELECT version()", "TabSeparated").trim() }));
for await (const line of createInterface({ input: process.stdin })) {
	let out;
	try {
		out = answer(JSON.parse(line));
	} catch (error) {
		out = { error: String(error) };
	}
	console.log(JSON.stringify(out));
}
