// SPDX-License-Identifier: ISC
// A new element of the page, with its text and its class.

export function element(name, text, className) {
	const node = document.createElement(name);
	if (text !== undefined)
		node.textContent = text;
	if (className)
		node.className = className;
	return node;
}
