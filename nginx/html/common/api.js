// SPDX-License-Identifier: ISC
// The API, as the person who is signed in. This module is the only user of fetch: it names the organisation, proves
// that the request comes from this page, and mends what can be mended before a page hears of it.

const ROOT = "/api/v1";
const LONGEST_WAIT_S = 60; // a longer Retry-After is a fault for the reader
const TRIES = 3; // of a request that is refused with 429

// A refusal: code and message as the API has them; fields: [{field, code, message}]; status 0 when nothing answered.
export class ApiError extends Error {
	constructor(status, error, retryAfter) {
		super(error.message ?? `The service answered ${status}.`);
		this.status = status;
		this.code = error.code ?? "";
		this.fields = error.field_errors ?? [];
		this.requestId = error.request_id ?? "";
		this.retryAfter = retryAfter;
	}
}

// Who is signed in (the answer of GET /auth/session, or null), and in which organisation this tab acts.
export const signedIn = { session: null, organisation: null };

// What the shell does for requests: signInAgain() and proveAgain() show a dialog and answer whether the request may be
// repeated; otherPerson() leaves the page when the cookie has become somebody else's; waiting(seconds) says that
// requests wait for a limit, 0 that they go on.
const shell = { signInAgain: async () => false, proveAgain: async () => false, otherPerson: () => {}, waiting: () => {} };

export function serveShell(hooks) {
	Object.assign(shell, hooks);
}

const ORGANISATION = "organisation"; // in sessionStorage: each tab has its own

export function takeSession(session) {
	const list = session?.organisations ?? [];
	const wanted = sessionStorage.getItem(ORGANISATION);
	signedIn.session = session;
	signedIn.organisation = list.find((o) => o.uuid === wanted) ?? list[0] ?? null;
	return session;
}

export function chooseOrganisation(uuid) {
	sessionStorage.setItem(ORGANISATION, uuid);
	takeSession(signedIn.session);
}

export async function readSession(signal) {
	return takeSession(await request("GET", "/auth/session", { signal, alone: true }));
}

// ---- one request ----

function address(path, query) {
	const words = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {}))
		if (value !== undefined && value !== null && value !== "")
			words.append(name, value);
	return `${ROOT}${path}${words.size ? `?${words}` : ""}`;
}

function headers(method, options) {
	const all = { Accept: options.accept ?? "application/json" };
	if (options.body !== undefined)
		all["Content-Type"] = "application/json";
	// Paths below /auth are about the person alone.
	if (signedIn.organisation && !options.path.startsWith("/auth/"))
		all["X-Org-UUID"] = signedIn.organisation.uuid;
	if (signedIn.session && method !== "GET")
		all["X-CSRF-Token"] = signedIn.session.csrf_token;
	return all;
}

// The fault of a request that got no answer.
export function unreachable() {
	return new ApiError(0, { code: "unreachable", message: "The service cannot be reached. Check the connection, then try again." });
}

async function send(method, options) {
	try {
		return await fetch(address(options.path, options.query), {
			method, headers: headers(method, options), signal: options.signal, cache: "no-store", credentials: "same-origin", redirect: "error",
			body: options.body === undefined ? undefined : JSON.stringify(options.body),
		});
	} catch (e) {
		if (e.name === "AbortError")
			throw e;
		throw unreachable();
	}
}

async function refusal(answer) {
	const body = await answer.json().catch(() => ({}));
	const wait = Number(answer.headers.get("Retry-After"));
	return new ApiError(answer.status, body?.error ?? {}, wait > 0 ? wait : 0);
}

// ---- what is mended, each once a request ----

const REMEDIES = {
	// The cookie may have become another person's, in another tab: their right must not repeat the request of the first one.
	csrf_required: async () => {
		const person = signedIn.session?.person.uuid;
		const session = await readSession();
		if (!person || !session || session.person.uuid === person)
			return Boolean(session);
		shell.otherPerson();
		return false;
	},
	reauthentication_required: () => shell.proveAgain(),
	session_expired: () => shell.signInAgain(),
	unauthorized: () => shell.signInAgain(),
};

function pause(seconds, signal) {
	return new Promise((done, fail) => {
		const timer = setTimeout(done, seconds * 1000);
		signal?.addEventListener("abort", () => {
			clearTimeout(timer);
			fail(signal.reason);
		}, { once: true });
	});
}

async function waitedFor(fault, signal) {
	shell.waiting(fault.retryAfter);
	try {
		await pause(fault.retryAfter, signal);
	} finally {
		shell.waiting(0);
	}
	return true;
}

async function mended(fault, tried, options) {
	if (options.alone || tried.length > TRIES + 2)
		return false;
	if (fault.status === 429 && fault.retryAfter > 0 && fault.retryAfter <= LONGEST_WAIT_S && tried.filter((t) => t === "429").length < TRIES) {
		tried.push("429");
		return waitedFor(fault, options.signal);
	}
	const remedy = REMEDIES[fault.code];
	if (!remedy || tried.includes(fault.code))
		return false;
	tried.push(fault.code);
	return remedy();
}

// request("GET", "/organisation", { query, body, signal }): the body of the answer; throws ApiError.
// alone: nothing is mended. answer: "response" for the Response itself, "blob" for its bytes.
export async function request(method, where, options = {}) {
	const all = { ...options, path: where }, tried = [];
	for (;;) {
		const answer = await send(method, all);
		if (answer.ok)
			return options.answer === "response" ? answer : options.answer === "blob" ? answer.blob() : answer.json();
		const fault = await refusal(answer);
		if (!(await mended(fault, tried, all)))
			throw fault;
	}
}

export const api = {
	get: (where, options) => request("GET", where, options),
	post: (where, body, options) => request("POST", where, { ...options, body }),
	put: (where, body, options) => request("PUT", where, { ...options, body }),
	del: (where, options) => request("DELETE", where, options),
};

// Every record of a list, page by page; member is the name of the list in the answer.
export async function everything(where, member, { query = {}, signal, most = 2000 } = {}) {
	const all = [];
	for (let cursor = "";;) {
		const page = await api.get(where, { query: { limit: 100, ...query, cursor }, signal });
		all.push(...page[member]);
		cursor = page.next_cursor;
		if (!cursor || all.length >= most)
			return all;
	}
}
