// SPDX-License-Identifier: ISC
// What the tests of the viewer share: TAP, the painted page of live-echo, Chromium.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const need = createRequire(`${process.env.MODULES}/`);
export const { chromium } = need("playwright-core");
const axePath = need.resolve("axe-core/axe.min.js");

export const BASE = process.env.BASE;
export const PROJECT = "7be1c0de-0000-4000-8000-000000000001";
export const SESSION = "5e551011-0000-4000-8000-000000000002";
export const LINK = `${BASE}/viewer/#${PROJECT}/${SESSION}/surfaced.stream.v1.good`;
const PATIENCE = 60000;

// ---- TAP ----

let n = 0;

export function ok(yes, title, why = "") {
	n++;
	console.log(`${yes ? "" : "not "}ok ${n} - ${title}`);
	if (!yes && why)
		console.log(String(why).split("\n").map((line) => `# ${line}`).join("\n"));
	return yes;
}

export function is(got, wanted, title) {
	return ok(got === wanted, title, `got: ${JSON.stringify(got)}\nwanted: ${JSON.stringify(wanted)}`);
}

// Waits until the condition holds, or gives up.
export async function until(condition, title) {
	const end = Date.now() + PATIENCE;
	let why = "";
	for (;;) {
		try {
			if (await condition())
				return ok(true, title);
			why = "the condition does not hold";
		} catch (e) {
			why = e;
		}
		if (Date.now() > end)
			return ok(false, title, why);
		await new Promise((done) => setTimeout(done, 30));
	}
}

export function plan() {
	console.log(`1..${n}`);
}

// ---- the runner's side ----

const echoes = [];

export class Echo {
	lines = [];

	constructor(socket) {
		this.process = spawn(process.env.ECHO, [socket], { stdio: ["pipe", "pipe", "inherit"] });
		createInterface({ input: this.process.stdout }).on("line", (line) => this.lines.push(line));
		this.process.stdin.on("error", () => {});
		this.process.on("exit", (code, signal) => signal && console.log(`# the painted page ended by ${signal}`));
		echoes.push(this);
	}

	static async start() {
		const echo = new Echo(`${process.env.W}/run/echo.sock`);
		await echo.wait("ready");
		return echo;
	}

	say(command) {
		this.process.stdin.write(`${command}\n`);
	}

	forget() {
		this.lines = [];
	}

	async wait(line) {
		const end = Date.now() + PATIENCE;
		while (!this.lines.some((l) => (line instanceof RegExp ? line.test(l) : l === line))) {
			if (Date.now() > end)
				throw new Error(`no ${line} among:\n${this.lines.slice(-20).join("\n")}`);
			await new Promise((done) => setTimeout(done, 20));
		}
	}

	// A test: the page saw this.
	async saw(line, title) {
		try {
			await this.wait(line);
			ok(true, title);
		} catch (e) {
			ok(false, title, e.message);
		}
	}

	async stop() {
		if (this.process.exitCode !== null || this.process.signalCode !== null)
			return;
		const gone = new Promise((done) => this.process.on("exit", done));
		this.process.stdin.end();
		await gone;
	}
}

export async function front() {
	const child = spawn(process.execPath, ["t/helper/viewing/front.mjs", `${process.env.W}/run/stream.sock`, `${process.env.W}/run/echo.sock`],
		{ stdio: ["ignore", "pipe", "inherit"] });
	await new Promise((done) => child.stdout.once("data", done));
	return child;
}

// ---- the browser ----

// Root has no sandbox to give; it shows our own page alone.
export async function browser() {
	return chromium.launch({
		executablePath: process.env.BROWSER,
		chromiumSandbox: process.getuid() !== 0,
		timeout: PATIENCE,
		args: ["--disable-gpu", "--disable-dev-shm-usage", ...process.env.BROWSER_HOSTS ? [`--host-resolver-rules=${process.env.BROWSER_HOSTS}`] : []],
	});
}

// A page with the viewer, live; whatever it complains of is in page.faults.
export async function open(chrome, options = {}, link = LINK) {
	const context = await chrome.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1360, height: 820 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(PATIENCE);
	page.faults = [];
	page.on("pageerror", (e) => page.faults.push(String(e)));
	page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.faults.push(m.text()));
	await page.goto(link);
	return page;
}

export async function live(page) {
	await page.waitForFunction(() => document.getElementById("wait").hidden && document.body.dataset.view === "live");
}

// A test: axe finds nothing. The page's context must have bypassCSP.
export async function axe(page, where) {
	// Not a script element: the content security policy of the page forbids it.
	if (!await page.evaluate(() => Boolean(window.axe)))
		await page.evaluate(readFileSync(axePath, "utf8"));
	const found = await page.evaluate(async () => {
		const result = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
		return result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.map((n) => `  ${n.html} ${n.failureSummary}`).join("\n")}`);
	});
	is(found.join("\n"), "", `axe finds nothing ${where}`);
}

// Runs the test with everything it needs, and takes everything down.
export async function main(test) {
	const proxy = await front();
	const chrome = await browser();
	try {
		await test(chrome);
	} catch (e) {
		ok(false, "the script came to its end", `${e.stack}\nthe page saw: ${echoes.at(-1)?.lines.slice(-8).join(", ")}`);
	} finally {
		await chrome.close();
		proxy.kill();
		echoes.forEach((echo) => echo.process.stdin.end());
		plan();
		process.exitCode = 0;
	}
}
