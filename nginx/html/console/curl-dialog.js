// SPDX-License-Identifier: ISC
// The dialog that shows a search as commands of curl.

import { h } from "../common/dom.js";
import { ask } from "../common/dialog.js";
import { commands } from "./curl.js";
import { copyButton } from "./copy.js";

// Shows the commands, each with a button that copies it.
export function curlDialog(base, dataset, query, fields) {
	const blocks = commands(base, dataset, query, fields).map(({ title, text }) =>
		h(
			"section.curl",
			null,
			h("div.card-head", null, h("h3", null, title), copyButton(text, "Copy")),
			h("pre", { tabindex: "0", "aria-label": `${title} as a command` }, text),
		),
	);
	return ask({
		title: "This search as curl",
		wide: true,
		label: "Close",
		cancel: "",
		body: [h("p.quiet.small", null, "Put an API key into KEY first: ", h("code", null, "read -rs KEY"), "."), blocks],
	});
}
