// SPDX-License-Identifier: ISC
// The pages of the console: the first word of the fragment, and the module that opens it. console.js explains modules.
//   nav: in the header; letter: "g" and this letter open it; owner: for owners alone

export const ROUTES = [
	{ page: "home", title: "Home", letter: "o", load: () => import("./home.js") },
	{ page: "search", title: "Search", nav: true, letter: "s", load: () => import("./search.js") },
	{ page: "findings", title: "Findings", nav: true, letter: "f", load: () => import("./findings.js") },
	{ page: "inventory", title: "Inventory", nav: true, letter: "i", load: () => import("./inventory.js") },
	{ page: "alerts", title: "Alerts", nav: true, letter: "l", load: () => import("./alerts.js") },
	{ page: "rules", title: "Rules", nav: true, letter: "r", load: () => import("./rules.js") },
	{ page: "hosts", title: "Host", load: () => import("./host.js") },
	{ page: "names", title: "DNS name", load: () => import("./name.js") },
	{ page: "domains", title: "Registration", load: () => import("./domain.js") },
	{ page: "certificates", title: "Certificate", load: () => import("./certificate.js") },
	{ page: "directories", title: "Open directory", load: () => import("./directory.js") },
	{ page: "reports", title: "Report", load: () => import("./report.js") },
	{ page: "usage", title: "Usage", letter: "u", nav: true, load: () => import("./usage.js") },
	{ page: "keys", title: "Keys", letter: "k", nav: true, load: () => import("./keys.js") },
	{ page: "members", title: "Members", letter: "m", nav: true, load: () => import("./members.js") },
	{ page: "audit", title: "Audit", letter: "a", nav: true, owner: true, load: () => import("./audit.js") },
	{ page: "settings", title: "Settings", load: () => import("./settings.js") },
];

export const FIRST = "#/home";
