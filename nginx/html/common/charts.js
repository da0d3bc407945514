// SPDX-License-Identifier: ISC
// Charts: SVG whose sizes are attributes, since the policy of the page allows no style attributes. Each one that says
// more than the text beside it has a table of the same numbers.

import { h, svg } from "./dom.js";
import { count } from "./words.js";

const KINDS = 8; // of --data-1 to --data-8; those after the fifth are hatched too

// A share of a whole, such as a quota; tone: "", "warn" or "bad".
export function meter(share, label, tone = "") {
	const width = Math.max(0, Math.min(100, share * 100));
	return svg("svg", { class: `meter ${tone}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": label },
		svg("rect", { class: "meter-all", width: 100, height: 8 }), svg("rect", { class: "meter-part", width, height: 8 }));
}

// A bar beside a number of a list; the number itself is the text.
export function bar(share) {
	return svg("svg", { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
		svg("rect", { class: "bar-part", width: Math.max(share > 0 ? 1 : 0, share * 100), height: 4 }));
}

// Small columns without an axis: values of successive days.
export function spark(values, label) {
	const most = Math.max(1, ...values), step = 100 / values.length;
	return svg("svg", { class: "spark", viewBox: "0 0 100 20", preserveAspectRatio: "none", role: "img", "aria-label": label },
		values.map((v, i) => {
			const height = v ? Math.max(2, (v / most) * 20) : 1;
			return svg("rect", { class: v ? "spark-part" : "spark-none", x: i * step + step * 0.12, y: 20 - height, width: step * 0.76, height });
		}));
}

// A round number that is not below n: the top of an axis, whose four parts are whole numbers.
function top(n) {
	const ten = 10 ** Math.floor(Math.log10(Math.max(1, n)));
	return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10, 12].map((m) => m * ten).find((m) => m >= n && m % 4 === 0);
}

function hatches() {
	return svg("defs", null, Array.from({ length: KINDS }, (_, i) => svg("pattern",
		{ id: `hatch-${i + 1}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
		svg("rect", { class: `data-${i + 1}`, width: 6, height: 6 }), svg("rect", { class: "hatch", width: 2, height: 6 }))));
}

// The class and the paint of the n-th kind, from 0, or of one that is a severity.
function paint(n, severity) {
	if (severity)
		return { class: `tone-${severity}` };
	const kind = (n % KINDS) + 1;
	return kind > 5 ? { fill: `url(#hatch-${kind})` } : { class: `data-${kind}` };
}

export function swatch(n, severity) {
	return svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { ...paint(n, severity), width: 10, height: 10, rx: 2 }));
}

// The numbers of the axis are at the right, beside the last days, which a narrow window shows first.
const W = 960, H = 220, LEFT = 16, BOTTOM = 24, TOP = 8, RIGHT = 56;

function axis(most, lines = 4) {
	return Array.from({ length: lines + 1 }, (_, i) => {
		const y = H - BOTTOM - ((H - BOTTOM - TOP) * i) / lines;
		return [svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y, y2: y }),
			svg("text", { class: "tick", x: W - RIGHT + 8, y: y + 4 }, count((most * i) / lines))];
	});
}

function column(day, kinds, x, width, most) {
	let y = H - BOTTOM;
	const parts = kinds.map((kind, n) => {
		const height = ((H - BOTTOM - TOP) * kind.values[day.at]) / most;
		y -= height;
		return height > 0 && svg("rect", { ...paint(n, kind.severity), x, y, width, height });
	});
	const words = kinds.filter((k) => k.values[day.at]).map((k) => `${k.name} ${count(k.values[day.at])}`).join(", ");
	return svg("g", { class: day.partial ? "column partial" : "column" }, svg("title", null, `${day.name}: ${words || "none"}`),
		svg("rect", { class: "column-all", x, y: TOP, width, height: H - BOTTOM - TOP }), parts);
}

// Stacked columns. days: [{name, partial}], kinds: [{name, values: a number a day, severity: of its colour}].
export function stackedDays(days, kinds, label) {
	const totals = days.map((_, i) => kinds.reduce((sum, k) => sum + k.values[i], 0));
	const most = top(Math.max(1, ...totals)), step = (W - LEFT - RIGHT) / days.length, every = Math.ceil(days.length / 10);
	return h("div.chart", null,
		h("div.scroll", { tabindex: "0", role: "region", "aria-label": `Chart: ${label}` }, svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label, class: "stacked" }, hatches(), axis(most),
			days.map((day, at) => column({ ...day, at }, kinds, LEFT + at * step + step * 0.12, step * 0.76, most)),
			days.map((day, at) => (days.length - 1 - at) % every === 0 && svg("text", { class: "tick", x: LEFT + (at + 0.5) * step, y: H - 6, "text-anchor": "middle" }, day.name)))),
		h("ul.legend", { "aria-hidden": "true" }, kinds.map((k, n) => h("li", null, swatch(n, k.severity), h("bdi", null, k.name)))));
}

// The numbers of a chart, behind a button.
export function asTable(caption, heads, lines) {
	return h("details.as-table", null, h("summary", null, "As a table"), h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
		h("table", null, h("caption.hidden", null, caption), h("thead", null, h("tr", null, heads.map((t, i) => h(i ? "th.number" : "th", { scope: "col" }, t)))),
			h("tbody", null, lines.map(([first, ...rest]) => h("tr", null, h("th", { scope: "row" }, first), rest.map((v) => h("td.number", null, v))))))));
}
