// SPDX-License-Identifier: ISC
// Style sheets that are read when something first needs them.

import { h } from "../common/dom.js";
import { unreachable } from "../common/api.js";

const sheets = new Map(); // name: a promise of its style sheet

export function styleSheet(name) {
	if (!sheets.has(name))
		sheets.set(name, new Promise((done, fail) => {
			const node = h("link", { rel: "stylesheet", onload: done, onerror: () => {
				sheets.delete(name);
				fail(unreachable());
			} });
			node.href = `${name}.css`;
			document.head.append(node);
		}));
	return sheets.get(name);
}
