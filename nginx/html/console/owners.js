// SPDX-License-Identifier: ISC
// Pages that only owners of the organisation may use.

import { h, show } from "../common/dom.js";
import { signedIn } from "../common/api.js";
import { emptyState, heading } from "./parts.js";

export const owner = () => signedIn.organisation?.role === "owner";

// Shows a member why there is no form, with a way back. Answers whether the reader is an owner.
export function ownersOnly(main, title, words, href, back) {
	if (!owner())
		show(main, heading(title), h("div.card", null, emptyState("Only owners may do this", words, h("a.button", { href }, back))));
	return owner();
}
