// SPDX-License-Identifier: ISC
// The pages of the console: the first word of the fragment, and the module that opens it. console.js explains modules.
//   nav: in the header; letter: "g" and this letter open it; owner: for owners alone

export const ROUTES = [
	{ page: "home", title: "Home", letter: "o", load: () => import("./home.js") },
];

export const FIRST = "#/home";
