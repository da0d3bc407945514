// SPDX-License-Identifier: ISC
// The pages of the console: the first word of the fragment, and the module of the page (see
// console.js).
// nav: shown in the header; under: the page of the header that it belongs to; letter: the keys "g" and this letter open it; owner: only for owners;
// styles: its style sheets in addition to console.css

export const ROUTES = [
	{ page: "home", title: "Home", styles: ["lists", "account", "charts"], letter: "o", load: () => import("./home.js") },
	{ page: "search", title: "Search", nav: true, letter: "s", styles: ["search"], load: () => import("./search.js") },
	{ page: "findings", title: "Findings", nav: true, letter: "f", styles: ["lists", "search", "facets", "record", "project"], load: () => import("./findings.js") },
	{ page: "detectors", title: "Detectors", under: "findings", styles: ["lists", "search", "record", "project"], letter: "d", load: () => import("./detectors.js") },
	{ page: "inventory", title: "Inventory", nav: true, letter: "i", styles: ["lists", "search", "record", "project"], load: () => import("./inventory.js") },
	{ page: "alerts", title: "Alerts", nav: true, letter: "l", styles: ["lists", "search", "record", "project", "charts"], load: () => import("./alerts.js") },
	{ page: "sessions", title: "Sessions", nav: true, letter: "b", styles: ["lists", "search", "record", "project", "sessions"], load: () => import("./sessions.js") },
	{ page: "rules", title: "Rules", nav: true, letter: "r", styles: ["lists", "search", "record", "project", "charts"], load: () => import("./rules.js") },
	{ page: "hosts", title: "Host", under: "search", styles: ["lists", "search", "record"], load: () => import("./host.js") },
	{ page: "names", title: "DNS name", under: "search", styles: ["lists", "search", "record", "project"], load: () => import("./name.js") },
	{ page: "domains", title: "Registration", under: "search", styles: ["lists", "search", "record"], load: () => import("./domain.js") },
	{ page: "certificates", title: "Certificate", under: "search", styles: ["lists", "search", "record", "charts"], load: () => import("./certificate.js") },
	{ page: "directories", title: "Open directory", under: "search", styles: ["lists", "search", "record"], load: () => import("./directory.js") },
	{ page: "reports", title: "Report", under: "search", styles: ["lists", "search", "record", "project"], load: () => import("./report.js") },
	{ page: "verdicts", title: "Verdicts", under: "search", styles: ["lists", "search", "record", "project"], load: () => import("./verdicts.js") },
	{ page: "exports", title: "Exports", under: "search", styles: ["lists", "search", "project"], letter: "x", load: () => import("./exports.js") },
	{ page: "usage", title: "Usage", styles: ["lists", "account", "charts"], letter: "u", nav: true, load: () => import("./usage.js") },
	{ page: "keys", title: "Keys", styles: ["lists", "account", "charts"], letter: "k", nav: true, load: () => import("./keys.js") },
	{ page: "members", title: "Members", styles: ["lists", "account"], letter: "m", nav: true, load: () => import("./members.js") },
	{ page: "audit", title: "Audit", styles: ["lists", "account"], letter: "a", nav: true, owner: true, load: () => import("./audit.js") },
	{ page: "settings", title: "Settings", styles: ["lists", "account", "sign-in"], load: () => import("./settings.js") },
];

export const FIRST = "#/home";
