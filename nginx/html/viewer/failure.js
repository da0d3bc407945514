// SPDX-License-Identifier: ISC
// The card in place of a page that could not be loaded: the reason in words, and ways to go on.

const NETWORK = {
	dns: (host) => [`${host} has no address`, "The name is not in the DNS. Check its spelling; the site may also be gone."],
	resolver: () => ["The name could not be looked up", "The DNS servers of this session's route do not answer."],
	address: (host) => [`${host} is not public`, "Sessions reach the public Internet only."],
	answer: (host) => [`${host} is not public`, "The name stands for an address of a private network; sessions reach the public Internet only."],
	name: (host) => [`${host} is not public`, "The name is a local one; sessions reach the public Internet only."],
	port: () => ["The port is not opened", "Browsers refuse this port, because another protocol uses it."],
	refused: (host) => [`${host} refused the connection`, "A host is there, and no server listens on this port."],
	unreachable: (host) => [`${host} cannot be reached`, "There is no way to its address."],
	timeout: (host) => [`${host} does not answer`, "The connection was not accepted in time."],
	peer: (host) => [`${host} was not reached`, "The connection ended at another address than the one that was checked."],
	busy: () => ["Too many names at once", "The session looks up too many names. Try again in a moment."],
};

const ROUTE = () => ["The route is out of order", "The proxy of the session's egress country did not connect. The operator of the service can see why."];

const CHROMIUM = [
	[/^ERR_NAME_NOT_RESOLVED$/, NETWORK.dns],
	[/^ERR_CERT_DATE_INVALID$/, (host) => [`The certificate of ${host} has expired`, "It is past its date, or not valid yet, so the page was not loaded."]],
	[/^ERR_CERT_COMMON_NAME_INVALID$/, (host) => [`The certificate is not for ${host}`, "It names other hosts, so the page was not loaded."]],
	[/^ERR_CERT_AUTHORITY_INVALID$/, (host) => [`The certificate of ${host} is not trusted`, "No known authority has signed it, so the page was not loaded."]],
	[/^ERR_CERT_/, (host) => [`The certificate of ${host} is not valid`, "The page was not loaded."]],
	[/^ERR_SSL_/, (host) => [`${host} does not speak TLS`, "The server listens, but no secure connection could be agreed on."]],
	[/^ERR_EMPTY_RESPONSE$/, (host) => [`${host} sent nothing`, "The server closed the connection without an answer."]],
	[/^ERR_CONNECTION_(RESET|CLOSED)$/, (host) => [`${host} broke the connection off`, "The server ended it before the page had come."]],
	[/^ERR_(CONNECTION_)?TIMED_OUT$/, NETWORK.timeout],
	[/^ERR_CONNECTION_REFUSED$/, NETWORK.refused],
	[/^ERR_TOO_MANY_REDIRECTS$/, (host) => [`${host} redirects in circles`, "The browser gave up after twenty redirects."]],
	[/^ERR_UNSAFE_PORT$/, NETWORK.port],
	[/^ERR_(INVALID_RESPONSE|INVALID_HTTP_RESPONSE|HTTP2_PROTOCOL_ERROR|RESPONSE_HEADERS_TOO_BIG)/, (host) => [`${host} answered something else`, "What came is not HTTP as browsers understand it."]],
	[/^ERR_BLOCKED_BY_/, () => ["The page was blocked", "Its own rules, or the browser's, forbid to show it here."]],
];

// "net::ERR_SOCKS_CONNECTION_FAILED (failed: dns)": Chromium's name, and the reason of the session's egress.
function parse(failure) {
	const found = /^(?:net::)?(\w+)(?: \(\w+: (\w+)\))?/.exec(failure);
	return { name: found?.[1] ?? "", reason: found?.[2] ?? "" };
}

// [title, words]
export function failureWords(failure, host) {
	const { name, reason } = parse(failure);
	const shown = host || "The site";
	if (/^(route|credential)/.test(reason))
		return ROUTE();
	const words = NETWORK[reason] ?? CHROMIUM.find(([pattern]) => pattern.test(name))?.[1];
	return words ? words(shown) : [`${shown} could not be loaded`, "The connection failed."];
}

// The reason of an address that egress denied, in words.
export function deniedWords(reason, host) {
	return NETWORK[reason]?.(host)[1] ?? reason;
}

// The same address without TLS; "" where that makes no sense.
function withoutTls(url) {
	try {
		const u = new URL(url);
		return u.protocol === "https:" && u.port === "" ? `http://${url.slice("https://".length)}` : "";
	} catch {
		return "";
	}
}

export class Failure {
	#parts;
	#url = "";

	// parts: {card, title, words, code, again, plain}; go: opens an address.
	constructor(parts, go) {
		this.#parts = parts;
		for (const type of ["pointerdown", "pointermove", "pointerup", "mousedown", "wheel", "contextmenu"])
			parts.card.addEventListener(type, (e) => e.stopPropagation()); // the page beneath gets none of them
		parts.again.addEventListener("click", () => go(this.#url));
		parts.plain.addEventListener("click", () => go(withoutTls(this.#url)));
	}

	hide() {
		this.#parts.card.hidden = true;
	}

	// Returns what a screen reader announces; "" when it was there before.
	show(url, host, failure) {
		const { card, title, words, code, plain } = this.#parts;
		const [what, why] = failureWords(failure, host);
		const news = card.hidden || title.textContent !== what;
		this.#url = url;
		title.textContent = what;
		words.textContent = why;
		code.textContent = failure;
		plain.hidden = !withoutTls(url) || /not public|not opened/.test(what);
		card.hidden = false;
		return news ? `${what}. ${why}` : "";
	}
}
