// SPDX-License-Identifier: ISC
// Writes a search as commands of curl(1) for sh. Everything is in single quotes except $KEY, which
// the shell expands.

function shellQuoted(text) {
	return `'${String(text).replaceAll("'", "'\\''")}'`;
}

const HEADER = '-H "X-API-Key: $KEY"';

function get(url, pairs) {
	const data = pairs.map(([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
	return ["curl -sS -G", HEADER, ...data, shellQuoted(url)].join(" \\\n  ");
}

function post(url, body) {
	return ["curl -sS", HEADER, "-H 'Content-Type: application/json'", `--data-raw ${shellQuoted(JSON.stringify(body))}`, shellQuoted(url)].join(
		" \\\n  ",
	);
}

// Returns [{title, text}] for the search, its count and its facets. base is https://host/api/v1.
export function commands(base, dataset, query, fields) {
	const url = `${base}/search/${dataset}`;
	const list = [
		{
			title: "Search",
			text: get(url, [
				["q", query],
				["limit", 50],
			]),
		},
	];
	if (!fields.length)
		return list;
	list.push({ title: "Count", text: get(`${url}/count`, [["q", query]]) });
	list.push({ title: "Aggregate", text: post(`${url}/aggregate`, { query, aggregations: fields.map((field) => ({ field, limit: 25 })) }) });
	return list;
}
