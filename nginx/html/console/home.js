// SPDX-License-Identifier: ISC
// Home.

import { show } from "../common/dom.js";
import { heading } from "./parts.js";

export async function open(main) {
	show(main, heading("Home"));
}
