// SPDX-License-Identifier: ISC
// The pages of the console: the first word of the fragment, and the module that opens it. console.js explains modules.
//   nav: in the header; letter: "g" and this letter open it; owner: for owners alone; styles: its style sheets beside console.css

export const ROUTES = [
	{ page: "home", title: "Home", letter: "o", load: () => import("./home.js") },
	{ page: "search", title: "Search", nav: true, letter: "s", styles: ["search"], load: () => import("./search.js") },
	{ page: "findings", title: "Findings", nav: true, letter: "f", styles: ["search", "project"], load: () => import("./findings.js") },
	{ page: "detectors", title: "Detectors", styles: ["search", "project"], letter: "d", load: () => import("./detectors.js") },
	{ page: "inventory", title: "Inventory", nav: true, letter: "i", styles: ["search", "project"], load: () => import("./inventory.js") },
	{ page: "alerts", title: "Alerts", nav: true, letter: "l", styles: ["search", "project"], load: () => import("./alerts.js") },
	{ page: "sessions", title: "Sessions", nav: true, letter: "b", styles: ["search", "project", "sessions"], load: () => import("./sessions.js") },
	{ page: "rules", title: "Rules", nav: true, letter: "r", styles: ["search", "project"], load: () => import("./rules.js") },
	{ page: "hosts", title: "Host", styles: ["search"], load: () => import("./host.js") },
	{ page: "names", title: "DNS name", styles: ["search"], load: () => import("./name.js") },
	{ page: "domains", title: "Registration", styles: ["search"], load: () => import("./domain.js") },
	{ page: "certificates", title: "Certificate", styles: ["search"], load: () => import("./certificate.js") },
	{ page: "directories", title: "Open directory", styles: ["search"], load: () => import("./directory.js") },
	{ page: "reports", title: "Report", styles: ["search", "project"], load: () => import("./report.js") },
	{ page: "verdicts", title: "Verdicts", styles: ["search", "project"], load: () => import("./verdicts.js") },
	{ page: "usage", title: "Usage", letter: "u", nav: true, load: () => import("./usage.js") },
	{ page: "keys", title: "Keys", letter: "k", nav: true, load: () => import("./keys.js") },
	{ page: "members", title: "Members", letter: "m", nav: true, load: () => import("./members.js") },
	{ page: "audit", title: "Audit", letter: "a", nav: true, owner: true, load: () => import("./audit.js") },
	{ page: "settings", title: "Settings", load: () => import("./settings.js") },
];

export const FIRST = "#/home";
