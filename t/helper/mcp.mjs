// SPDX-License-Identifier: ISC
// mcp.mjs SDK COMMAND ARGUMENT...: starts a server of the Model Context Protocol as assistants do, and calls its tools by the
// clients in $MODULES. SDK is "sessions" (@modelcontextprotocol/sdk) or "stateless" (@modelcontextprotocol/client, pinned to
// 2026-07-28). Reads calls as JSON from stdin, {"name":...,"arguments":...} on each line, all of which run at once; a call
// with "cancel": MILLISECONDS is cancelled after this time. Prints {"version","info","instructions","tools","results"}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MODULES}/`);
const [sdk, command, ...args] = process.argv.slice(2);
const name = sdk === "sessions" ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client } = require(sdk === "sessions" ? `${name}/index.js` : name);
const { StdioClientTransport } = require(sdk === "sessions" ? `${name}/stdio.js` : `${name}/stdio`);
const options = sdk === "sessions" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const client = new Client({ name: "test", version: "1" }, options);
const transport = new StdioClientTransport({ command, args, env: process.env });
const calls = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

await client.connect(transport);
const tools = [];
let pages = 0;
for (let cursor; cursor !== undefined || pages === 0; pages++) {
	const page = await client.listTools(cursor === undefined ? {} : { cursor });
	tools.push(...page.tools);
	cursor = page.nextCursor;
	if (cursor === undefined)
		break;
}

async function call({ cancel, ...params }) {
	const abort = new AbortController();
	const options = { signal: abort.signal, timeout: 60000 };

	if (cancel !== undefined)
		setTimeout(() => abort.abort(), cancel);
	try {
		return await (sdk === "sessions" ? client.callTool(params, undefined, options) : client.callTool(params, options));
	} catch (error) {
		return { thrown: String(error.message), code: error.code };
	}
}

const results = await Promise.all(calls.map(call));
console.log(JSON.stringify({
	version: transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? client.getServerVersion()?.version,
	info: client.getServerVersion(),
	instructions: client.getInstructions(),
	pages: pages + 1,
	tools,
	results,
}));
await client.close();
