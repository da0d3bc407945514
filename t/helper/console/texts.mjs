// SPDX-License-Identifier: ISC
// The modules of the console that need no page: queries, completion, repair, curl, CSV, the map and figures.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const dir = new URL("../../../nginx/html/console/", import.meta.url);
const load = (name) => import(new URL(`${name}.js`, dir));
const { and, chosen, fieldAndValue, hasOr, testOf, toggle } = await load("query");
const { typed } = await load("caret");
const { indexOf, marked, repair } = await load("repair");
const { options, take, valuesQuery } = await load("complete");
const { commands } = await load("curl");
const { cell, record } = await load("csv");
const { shade, tiles } = await load("tiles");
const { quoted, share, total } = await load("links");
const { DANGLING, DANGLING_REASONS, LOOKALIKES, LOOKALIKE_REASONS } = await load("finding-why");
const { ago } = await load("../common/words");

let n = 0;
function is(got, wanted, title) {
	const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
	console.log(`${a === b ? "" : "not "}ok ${++n} - ${title}`);
	if (a !== b)
		console.log(`# got:    ${a}\n# wanted: ${b}`);
}

const field = (name, type = "keyword", aliases = []) => ({ name, type, aliases, aggregatable: true, nested: name.startsWith("services.") });
const schema = {
	dataset: "hosts",
	prefix_aliases: ["host.*"],
	fields: [
		field("ip", "ip", ["net"]),
		field("asn", "integer"),
		field("country_code", "keyword", ["country"]),
		field("tags"),
		field("tags.category"),
		field("hostnames", "dns", ["hostname"]),
		field("services.port", "integer", ["port"]),
		field("services.product", "keyword", ["product"]),
		field("services.http.title", "text", ["title"]),
		field("services.tls_enabled", "boolean"),
		field("last_seen", "date"),
	],
};
const name = (n) => schema.fields.find((f) => f.name === n);

// ---- queries ----
is(
	[hasOr("a OR b"), hasOr("(a OR b) c"), hasOr('tags:"a OR b"'), hasOr("port:[1 TO 2] or x"), hasOr("services:(a OR b)")],
	[true, false, false, true, false],
	"OR counts outside brackets and quotes alone",
);
for (const [value, text] of [
	["DE", "DE"],
	[443, "443"],
	["Apache httpd", '"Apache httpd"'],
	['say "hi" \\ :', '"say \\"hi\\" \\\\ :"'],
	["OR", '"OR"'],
	["a\r\nb\t", '"a\\r\\nb\\t"'],
	["", '""'],
	["fd00::1", '"fd00::1"'],
	["*.x", '"*.x"'],
	["-1", '"-1"'],
	[true, "true"],
])
	is(quoted(value), text, `the value ${JSON.stringify(value)} is written as ${text}`);
is(testOf(name("hostnames"), "a.example"), "hostnames=a.example", "a name is asked for to the letter, without the names below it");
is(fieldAndValue(schema, 'Country="a\\"b"'), { field: "country_code", value: 'a"b' }, "an alias and a quoted value are understood");

// Each row: the query, the test, after a click, after −, and after the same click once more (C-345).
for (const [query, test, plus, minus] of [
	["", "country_code:DE", "country_code:DE", "NOT country_code:DE"],
	["*", "asn:1", "asn:1", "NOT asn:1"],
	["port:22", "country_code:DE", "port:22 AND country_code:DE", "port:22 AND NOT country_code:DE"],
	["a OR b", 'services.product:"Apache httpd"', '(a OR b) AND services.product:"Apache httpd"', '(a OR b) AND NOT services.product:"Apache httpd"'],
	["port:[1 TO 9]", 'tags:"x: \\"y\\" (z)"', 'port:[1 TO 9] AND tags:"x: \\"y\\" (z)"', 'port:[1 TO 9] AND NOT tags:"x: \\"y\\" (z)"'],
]) {
	is(toggle(schema, query, test, false), plus, `a click on ${test} with the query "${query}" adds the test`);
	is(toggle(schema, query, test, true), minus, `− at ${test} with the query "${query}" adds its negation`);
	const before = query === "*" ? "" : query;
	is(toggle(schema, plus, test, false), before, `a second click on ${test} gives "${before}" again`);
	is(toggle(schema, minus, test, true), before, `a second − at ${test} gives "${before}" again`);
	is(toggle(schema, plus, test, true), minus, `− at the chosen ${test} makes a negation of it`);
	is(toggle(schema, minus, test, false), plus, `a click on the excluded ${test} makes a test of it`);
}
is(toggle(schema, "country:de port:22", "country_code:DE", false), "port:22", "a value that was typed by an alias is found and goes");
is(toggle(schema, "port:22 -country:DE", "country_code:DE", true), "port:22", "a test with a minus sign is found and goes");
is(toggle(schema, "NOT country:DE AND port:22", "country_code:DE", true), "port:22", "a test with NOT goes with its AND");
is(toggle(schema, "country: DE port:22", "country_code:DE", false), "port:22", "a space behind the colon belongs to the test");
is(
	[chosen(schema, "port:22 -tags:a", "tags", "a"), chosen(schema, "port:22 tags:a", "tags", "a"), chosen(schema, "tags:a OR port:22", "tags", "a")],
	["not", "and", ""],
	"a value is chosen, excluded, or neither where OR stands beside it",
);
is(and("services:(port:22 OR x)", "asn:1"), "services:(port:22 OR x) AND asn:1", "brackets of a field need no other ones");
for (const broken of ['"', "(", "a:(", 'a:"', "\\", "a:[", ")", "((((", "-", "- !", 'x"y\\'])
	is(typeof toggle(schema, broken, "asn:1", false), "string", `the unfinished query ${broken} is walked to its end`);

// ---- the caret ----
is(typed("port:22 AND contr", 17), { kind: "field", from: 12, to: 17, text: "contr", inside: "" }, "a word at the caret is the begin of a field");
is(typed("country:D", 9), { kind: "value", field: "country", from: 8, to: 9, text: "D" }, "behind a colon a value is typed");
is(typed('product:"Apa', 12).text, "Apa", "a value is typed in quotes too");
is(typed('"port:2', 7).kind, "none", "nothing is completed inside a phrase");
is(typed("services:(po", 12).inside, "services", "the bracket of a nested object is known");
const at = (text, buckets = []) => options(schema, text, text.length, () => buckets);
is(at("coun").list[0].insert, "country_code:", "the first option for coun is the country");
is(at("port").list[0].text, "services.port", "an alias finds its field");
is(
	at("services:(por").list.map((o) => o.text),
	["port"],
	"inside services:( the fields of a service are offered without their prefix",
);
const de = at("port:22 AND country:d", [
	{ value: "US", count: 3 },
	{ value: "DE", count: 12204 },
]).list;
is(de, [{ kind: "value", text: "DE", insert: "DE", count: 12204, label: "" }], "values that begin with what is typed are offered with their counts");
is(
	take("port:22 AND country:d", at("port:22 AND country:d").place, de[0]),
	{ text: "port:22 AND country:DE ", caret: 23 },
	"an option takes the place of what is typed",
);
is(
	at("port:22 o").list.some((o) => o.insert === "OR "),
	true,
	"OR is offered behind a test",
);
is(
	at("services.tls_enabled:").list.map((o) => o.text),
	["true", "false"],
	"both values of a boolean are offered",
);
is(valuesQuery(name("services.product"), "Apache ht"), "services.product:Apache\\ ht*", "values are asked for by a pattern without an open space");

// ---- repair ----
const mend = (text, message, position) => repair(text, { message, position })?.text;
is(indexOf("😀 b", 3), 3, "positions count characters, not UTF-16 units");
is(marked("port:22 AND contry_code:DE", 13), { from: 12, to: 23 }, "the mark covers the word at the position");
is(
	mend("port:22 AND contry_code:DE", 'unknown field "contry_code"; did you mean "country_code"?', 13),
	"port:22 AND country_code:DE",
	"a click repairs the name of a field",
);
is(
	mend("country:Germany x", 'country_code has two-letter codes and never "Germany"; did you mean DE?', 9),
	"country:DE x",
	"a click repairs a value",
);
is(
	mend('country:"United Kingdom"', 'country_code has two-letter codes and never "United Kingdom"; did you mean GB?', 9),
	"country:GB",
	"a quoted value is repaired as a whole",
);
is(mend("port :22", "no white space can stand before : and other operators", 5), "port:22", "a click takes the space before a colon away");
is(mend("(a b", "this ( is never closed", 1), "(a b)", "a click closes a bracket");
is(mend("a) b", "this ) was never opened", 2), "a b", "a click takes a lonely bracket away");
is(repair("asn:abc", { message: 'asn takes an integer, not "abc"', position: 5 }), null, "what only the author can mend has no button");

// ---- as curl (C-347) ----
const nasty = 'tags:"a\'b" $(id) `id` \\ \n%s !x $KEY';
const sent = commands("https://h/api/v1", "hosts", nasty, ["asn"]).map(({ text }) =>
	execFileSync("sh", ["-c", `curl() { for a; do printf '%s\\0' "$a"; done; }; KEY=k; ${text}`], { encoding: "utf8" })
		.split("\0")
		.slice(0, -1),
);
is(
	sent[0],
	["-sS", "-G", "-H", "X-API-Key: k", "--data-urlencode", `q=${nasty}`, "--data-urlencode", "limit=50", "https://h/api/v1/search/hosts"],
	"sh hands curl exactly the query of the search (C-347)",
);
is(
	JSON.parse(sent[2][6]),
	{ query: nasty, aggregations: [{ field: "asn", limit: 25 }] },
	"sh hands curl exactly the body of the aggregation (C-347)",
);

// ---- CSV (C-347) ----
is(
	["=cmd", "+1", "-1", "@x", "\tx", "\rx", "\n=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201"].filter((v) => cell(v).replace(/^"/u, "")[0] !== "'"),
	[],
	"a cell that a spreadsheet would compute begins with an apostrophe (C-347)",
);
is(
	[cell(-1), cell(null), cell('a"b'), cell("a,b"), cell("a\nb"), cell(" a"), cell([-1, null])],
	["-1", "", '"a""b"', '"a,b"', '"a\nb"', '" a"', '"[-1,null]"'],
	"other cells are written as RFC 4180 says",
);
is(
	record({ ip: "192.0.2.1", services: [{ port: 22, banner: "=cmd" }, { port: 80 }], tags: ["a", "b"] }, [
		"ip",
		"services.port",
		"tags",
		"services.banner",
	]),
	'192.0.2.1,"[22,80]","[""a"",""b""]","[""=cmd"",null]"\r\n',
	"a line of CSV has all values of a column, and keeps the places of those that are absent (C-347)",
);

// ---- modules ----

// No module has been compiled: a name that another one does not export is a page that does not open.
const EXPORT = /^export (?:async )?(?:function|const|class|let) ([\w$]+)/gm, IMPORT = /^import \{([^}]*)\} from "([^"]*)";$/gm;
const scripts = ["console", "common", "viewer"].flatMap((of) => readdirSync(new URL(`../${of}/`, dir)).filter((f) => f.endsWith(".js")).map((f) => new URL(`../${of}/${f}`, dir)));
const exported = new Map(scripts.map((url) => [url.href, new Set([...readFileSync(url, "utf8").matchAll(EXPORT)].map((m) => m[1]))]));
const missing = [], unused = [];
for (const url of scripts) {
	const text = readFileSync(url, "utf8"), name = url.pathname.split("/").slice(-2).join("/");
	for (const [, names, from] of text.matchAll(IMPORT))
		for (const one of names.split(",").map((w) => w.trim()).filter(Boolean)) {
			if (!exported.get(new URL(from, url).href)?.has(one))
				missing.push(`${name} imports ${one} of ${from}`);
			if (text.split(new RegExp(`(?<![\\w$.])${one}(?![\\w$])`, "g")).length < 3)
				unused.push(`${name} does not use ${one} of ${from}`);
		}
}
is(missing, [], "each name that a module of the console or the viewer imports is exported");
is(unused, [], "each name that a module of the console or the viewer imports is used");

// A page whose style sheets are missing looks well when another page has been opened before. Each class that a module uses, and that
// any sheet describes, is in a sheet that its page reads: one of index.html, of its route, or one that a module asks for itself.
const sheetOf = (file) => new Set([...readFileSync(new URL(file, dir), "utf8").replace(/\/\*.*?\*\//gs, "").matchAll(/\.([a-z][a-z0-9-]*)/g)].map((m) => m[1]));
const sheets = new Map(readdirSync(dir).filter((f) => f.endsWith(".css")).map((f) => [f.slice(0, -4), sheetOf(f)]));
const everywhere = [...readFileSync(new URL("index.html", dir), "utf8").matchAll(/rel="stylesheet" href="([^"]*)"/g)].map((m) => sheetOf(m[1]));
const used = (text) => new Set([...text.matchAll(/\bh\(\s*"[a-z0-9]+((?:\.[a-z0-9-]+)+)"/g)].flatMap((m) => m[1].slice(1).split("."))
	.concat([...text.matchAll(/class(?:Name)?: "([a-z0-9 -]+)"/g)].flatMap((m) => m[1].split(" "))));
// The declarations of a module: [name, text].
const declarations = new Map();
function declared(url) {
	if (!declarations.has(url)) {
		const text = readFileSync(new URL(url), "utf8"), starts = [...text.matchAll(/^(?:export )?(?:async )?(?:function|const|class|let) ([\w$]+)/gm)];
		const imports = new Map([...text.matchAll(IMPORT)].flatMap((m) => m[1].split(",").map((w) => [w.trim(), new URL(m[2], url).href])));
		declarations.set(url, { imports, parts: new Map(starts.map((m, i) => [m[1], text.slice(m.index, starts[i + 1]?.index)])) });
	}
	return declarations.get(url);
}
// The texts of all declarations that one of a module needs, also in modules that it loads later.
function reached(url, name, seen = new Map()) {
	const { imports, parts } = declared(url), text = parts.get(name);
	if (text === undefined || seen.has(`${url} ${name}`) || /\/(?:routes|header|keyboard)\.js$/.test(url))
		return seen;
	seen.set(`${url} ${name}`, text);
	const words = new Set(text.match(/[\w$]+/g));
	for (const other of parts.keys())
		if (words.has(other))
			reached(url, other, seen);
	for (const [other, from] of imports)
		if (words.has(other))
			reached(from, other, seen);
	for (const [, from] of text.matchAll(/import\("(\.[^"]*\.js)"\)/g))
		for (const other of declared(new URL(from, url).href).parts.keys())
			if (exported.get(new URL(from, url).href).has(other) && words.has(other))
				reached(new URL(from, url).href, other, seen);
	return seen;
}
function bare(file, styles) {
	const url = new URL(file, dir).href, texts = [...exported.get(url)].flatMap((name) => [...reached(url, name).values()]);
	const asked = texts.flatMap((text) => [...text.matchAll(/styleSheet\("([a-z-]+)"\)/g)].map((m) => m[1]));
	const read = [...everywhere, ...[...styles, ...asked].map((name) => sheets.get(name))];
	const all = new Set(texts.flatMap((text) => [...used(text)]));
	return [...all].filter((c) => [...sheets.values()].some((one) => one.has(c)) && !read.some((one) => one.has(c)));
}
const routes = [...readFileSync(new URL("routes.js", dir), "utf8").matchAll(/styles: \[([^\]]*)\].*import\("(\.\/[a-z-]+\.js)"\)/g)].map((m) => [m[2], m[1].replaceAll(/["\s]/g, "").split(",").filter(Boolean)]);
is(routes.length > 15, true, "the routes name their style sheets");
for (const [file, styles] of [...routes, ["./sign-in.js", ["sign-in"]], ["./link.js", ["sign-in"]]])
	is(bare(file, styles), [], `each class of ${file.slice(2)} is in a style sheet that its page reads`);

// ---- words of codes ----
const table = (file, macro) => [...readFileSync(new URL(`../../../src/tbl/${file}`, dir), "utf8").matchAll(new RegExp(`^${macro}\\(\\w+,\\s*(?:\\w+,\\s*)?"([a-z0-9_]+)"`, "gm"))].map((m) => m[1]);
for (const [words, file, macro] of [[DANGLING, "dangling_kinds.h", "DANGLING"], [DANGLING_REASONS, "dangling_kinds.h", "DANGLING_GRADE"], [LOOKALIKES, "lookalike_classes.h", "LOOKALIKE_CLASS"], [LOOKALIKE_REASONS, "lookalike_weights.h", "LOOKALIKE_WEIGHT"]])
	is(Object.keys(words).sort(), [...new Set(table(file, macro))].sort(), `each code of ${macro} in ${file} has words in the console, and no other`);

// ---- times ----
const now = Date.parse("2026-11-28T12:00:00Z"), from = (seconds) => ago(new Date(now + 1000 * seconds).toISOString(), now);
is([from(86395), from(86400 * 7 - 30), from(3590), from(90), from(-86399), from(-59)], ["in 1 day", "in 7 days", "in 59 minutes", "in 1 minute", "23 hours ago", "59 seconds ago"], "what was set for a day ends in a day, also a moment later");

// ---- the map, figures ----
const all = tiles();
is(
	[new Set(all.map((t) => t.code)).size, new Set(all.map((t) => `${t.row} ${t.column}`)).size],
	[all.length, all.length],
	"each country has one tile and each tile one country",
);
is([shade(0, 9), shade(1, 1000), shade(1000, 1000)], [0, 1, 6], "a tile is shaded by the logarithm of its count");
is(
	[total("hosts", { value: 4211, relation: "eq" }), total("hosts", { value: 1, relation: "gte" }), total("dns", { value: 5, relation: "unknown" })],
	["4,211 hosts", "at least 1 host", "about 5 DNS records"],
	"a total says how sure it is",
);
is([share(1, 3), share(1, 10000), share(1, 25)], ["33 %", "< 0.1 %", "4.0 %"], "shares are told in percent");
console.log(`1..${n}`);
