// SPDX-License-Identifier: ISC
// The most frequent values of up to eight fields, with bars. A click on a value adds it to the
// query, − excludes it.

import { h, rows, show, svg } from "../common/dom.js";
import { count } from "../common/words.js";
import { PERSONAL } from "./tabs.js";
import { short } from "./links.js";
import { chosen, testOf, testsOf } from "./query.js";

const FIRST = 6; // values of a field
const MORE = 100;
const MOST = 8; // fields

// The fields that are shown by default.
const FIELDS = {
	hosts: ["country_code", "services.port", "services.service_name", "services.product", "asn", "tags", "tags.classification", "services.http.title"],
	services: ["country_code", "port", "service_name", "product", "version", "asn", "http.status_code", "http.title"],
	dns: ["record_type", "rcode", "tld", "apex_domain", "answer", "ttl", "wildcard", "source"],
	whois: ["whois.registrar", "tld", "whois.status", "whois.registrant.organisation", "whois.registrant.country_code", "whois.dnssec"],
	certificates: ["issuer.common_name", "issuer.organisation", "apex_domains", "key_algorithm", "key_size", "expired", "self_signed", "tags"],
	reports: ["publisher", "malware_families", "threat_actors", "techniques", "sectors", "countries", "indicator_types", "tlp"],
};

// Returns the fields that this person chose in this browser, or the default.
export function fieldsOf(schema) {
	const known = new Set(schema.fields.filter((f) => f.aggregatable).map((f) => f.name));
	const kept = JSON.parse(localStorage.getItem(`${PERSONAL}facets:${schema.dataset}`) ?? "null");
	return (kept ?? FIELDS[schema.dataset] ?? []).filter((name) => known.has(name)).slice(0, MOST);
}

export function aggregation(query, fields, limit = FIRST) {
	return { query, aggregations: fields.map((field) => ({ field, limit })) };
}

// Returns "http title" for services.http.title.
function fieldTitle(name) {
	return name.replace(/^services\./u, "").replaceAll(/[._]/gu, " ");
}

function background(share) {
	return svg(
		"svg",
		{ class: "facet-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
		svg("rect", { width: Math.max(share > 0 ? 0.7 : 0, share * 100), height: 10 }),
	);
}

// Adds values that the query tests but no match has, so that a click can remove these tests.
function withTests({ field, buckets }, tests) {
	const known = new Set(buckets.map((b) => String(b.value).toLowerCase()));
	const others = tests.filter((t) => t.field === field && !known.has(t.value.toLowerCase()));
	return [...buckets, ...others.map((t) => ({ value: t.value, count: 0 }))];
}

export class Facets {
	#schema;
	#query = "";
	#hooks;

	// node: the element to fill. hooks: aggregate(body) returns the answer; toggle(test, not);
	// fieldsChanged()
	constructor(node, hooks) {
		this.#hooks = hooks;
		this.list = h("div.facet-list");
		this.gear = h("button.link.small", { type: "button", hidden: true, onclick: () => this.#choose() }, "Choose fields");
		node.append(this.list, this.gear);
	}

	busy(yes) {
		this.list.setAttribute("aria-busy", String(yes));
	}

	draw(schema, query, groups) {
		this.#schema = schema;
		this.#query = query;
		this.busy(false);
		this.gear.hidden = !schema.fields.some((f) => f.aggregatable);
		const tests = testsOf(schema, query);
		const items = groups
			.map((g) => ({ ...g, buckets: withTests(g, tests), key: `${schema.dataset} ${g.field}`, query }))
			.filter((g) => g.buckets.length);
		rows(
			this.list,
			items,
			(g) => g.key,
			(g) => this.#facet(g),
		);
	}

	// Without a message only the list is removed.
	fault(message) {
		this.busy(false);
		this.gear.hidden = true;
		show(this.list, message && h("p.quiet.small", null, message));
	}

	#facet(group) {
		const title = fieldTitle(group.field),
			id = `facet-${group.field.replaceAll(".", "-")}`;
		const list = h("ul", { "aria-labelledby": id }, this.#values(group));
		const more =
			group.has_more &&
			h(
				"button.link.small",
				{
					type: "button",
					"aria-label": `More values of ${title}`,
					onclick: async () => {
						const answer = await this.#hooks.aggregate(aggregation(group.query, [group.field], MORE));
						if (answer) {
							show(list, this.#values(answer.groups[0]));
							list.classList.add("long");
							more.remove();
						}
					},
				},
				"more",
			);
		return h(
			"section.facet",
			null,
			h("div.facet-head", null, h("h2", { id, title: group.field }, title), group.sampled && h("span.badge", null, "estimated"), more),
			list,
		);
	}

	#values({ field, buckets }) {
		const most = Math.max(1, ...buckets.map((b) => b.count)),
			known = this.#schema.fields.find((f) => f.name === field);
		return buckets.map((bucket) => this.#value(known, bucket, bucket.count / most));
	}

	#value(field, { value, label, count: n }, share) {
		const test = testOf(field, value),
			state = chosen(this.#schema, this.#query, field.name, value);
		const words = value === "" ? "(empty)" : String(value);
		const pick = h(
			"button.facet-value",
			{
				type: "button",
				"aria-pressed": String(state === "and"),
				title: state ? "Remove it from the query" : `${test}, Alt and a click: NOT ${test}`,
				onclick: (e) => this.#hooks.toggle(test, e.altKey),
			},
			background(share),
			h("span.facet-text", null, short(words, 120), label && h("span.quiet", null, " ", short(label, 80))),
			h("span.facet-count", null, count(n)),
		);
		const minus = h(
			"button.facet-minus",
			{
				type: "button",
				"aria-pressed": String(state === "not"),
				"aria-label": `Without ${words}`,
				title: `NOT ${test}`,
				onclick: () => this.#hooks.toggle(test, true),
			},
			"−",
		);
		return h("li", { class: state }, pick, minus);
	}

	async #choose() {
		const { chooseFields } = await import("./facet-fields.js");
		await chooseFields(this.#schema, fieldsOf(this.#schema), this.#hooks.fieldsChanged);
	}
}
