// SPDX-License-Identifier: ISC
// The pages of the console: the first word of the fragment, and the module of the page (see
// console.js).
// nav: shown in the header; letter: the keys "g" and this letter open it; owner: only for owners;
// styles: its style sheets in addition to console.css

export const ROUTES = [
	{ page: "home", title: "Home", styles: ["account", "charts"], letter: "o", load: () => import("./home.js") },
	{ page: "search", title: "Search", nav: true, letter: "s", styles: ["search"], load: () => import("./search.js") },
	{ page: "findings", title: "Findings", nav: true, letter: "f", styles: ["search", "facets", "record", "project"], load: () => import("./findings.js") },
	{ page: "detectors", title: "Detectors", styles: ["search", "record", "project"], letter: "d", load: () => import("./detectors.js") },
	{ page: "inventory", title: "Inventory", nav: true, letter: "i", styles: ["search", "record", "project"], load: () => import("./inventory.js") },
	{ page: "alerts", title: "Alerts", nav: true, letter: "l", styles: ["search", "record", "project"], load: () => import("./alerts.js") },
	{ page: "sessions", title: "Sessions", nav: true, letter: "b", styles: ["search", "record", "project", "sessions"], load: () => import("./sessions.js") },
	{ page: "rules", title: "Rules", nav: true, letter: "r", styles: ["search", "record", "project", "charts"], load: () => import("./rules.js") },
	{ page: "hosts", title: "Host", styles: ["search", "record"], load: () => import("./host.js") },
	{ page: "names", title: "DNS name", styles: ["search", "record"], load: () => import("./name.js") },
	{ page: "domains", title: "Registration", styles: ["search", "record"], load: () => import("./domain.js") },
	{ page: "certificates", title: "Certificate", styles: ["search", "record"], load: () => import("./certificate.js") },
	{ page: "directories", title: "Open directory", styles: ["search", "record"], load: () => import("./directory.js") },
	{ page: "reports", title: "Report", styles: ["search", "record", "project"], load: () => import("./report.js") },
	{ page: "verdicts", title: "Verdicts", styles: ["search", "record", "project"], load: () => import("./verdicts.js") },
	{ page: "usage", title: "Usage", styles: ["account", "charts"], letter: "u", nav: true, load: () => import("./usage.js") },
	{ page: "keys", title: "Keys", styles: ["account", "charts"], letter: "k", nav: true, load: () => import("./keys.js") },
	{ page: "members", title: "Members", styles: ["account"], letter: "m", nav: true, load: () => import("./members.js") },
	{ page: "audit", title: "Audit", styles: ["account"], letter: "a", nav: true, owner: true, load: () => import("./audit.js") },
	{ page: "settings", title: "Settings", styles: ["account"], load: () => import("./settings.js") },
];

export const FIRST = "#/home";
