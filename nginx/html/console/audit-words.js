// SPDX-License-Identifier: ISC
// What the lines of the audit log say: the actor, and what they did, in words.

// The kinds of records, with an article. t/console/files.t compares them with src/tbl/audit_actions.h.
export const SUBJECTS = {
	account: "the organisation",
	account_group: "the group of organisations",
	account_scope: "a scope of the organisation",
	alert: "an alert",
	alert_delivery: "a delivery",
	alert_destination: "the destination",
	alert_rule: "the alert rule",
	alert_silence: "a silence",
	api_key: "the API key",
	audit: "the audit log",
	browser_session: "a browser session",
	database: "the database",
	detector_state: "the settings of a detector",
	egress_route: "an egress route",
	entitlement: "an entitlement",
	finding: "the finding",
	host: "a host of the service",
	indicator_verdict: "a verdict",
	member: "the member",
	meter_default: "the limits of everybody",
	passkey: "the passkey",
	person: "the person",
	project: "the project",
	project_member: "a role in a project",
	report: "the report",
	rule: "the detection rule",
	rule_setting: "the settings of a detection rule",
	search_export: "an export",
	session: "a browser session",
	session_caller: "the browser sessions of a key",
	session_organisation: "the browser sessions of the organisation",
	session_policy: "the rules of browser sessions",
	sign_in: "a sign-in",
	sign_in_link: "a link",
	stream_ticket: "a live view",
	tag: "the tag",
	watched_domain: "the watched domain",
};

const VERBS = {
	accept_risk: "accepted the risk of",
	acknowledge: "acknowledged",
	cancel: "cancelled",
	cancelled: "cancelled",
	change: "changed",
	claim: "began",
	clear: "closed, since it is not there any more,",
	close: "closed",
	complete: "completed",
	create: "made",
	delete: "removed",
	deprecate: "deprecated",
	disable: "disabled",
	end: "ended",
	export: "exported",
	expire: "ended, since its time was over,",
	expired: "deleted the file of",
	fail: "ended, since it failed,",
	failed: "gave up",
	false_positive: "marked as a false positive",
	idle: "ended, since nobody used it,",
	ignored: "rejected the indicator of",
	indicator: "accepted the indicator of",
	import_assets: "imported assets into",
	import_content: "imported data into",
	import_findings: "imported findings into",
	import_services: "imported services into",
	publish: "published",
	published: "published",
	queued: "asked for",
	read: "read",
	ready: "has ready",
	redraft: "made a draft of",
	remove: "removed",
	reopen: "reopened",
	requeue: "began again",
	resolve: "resolved",
	restore: "restored",
	revoke: "revoked",
	revoked: "ended",
	rotate_secret: "changed the secret of",
	running: "began to write",
	seen_again: "saw again",
	stage: "staged",
	use: "used",
	withdrawn: "withdrew",
};

const EVENTS = {
	"passkey.copied": "used a passkey that may have been copied",
	"session.evidence_view": "viewed the evidence of a browser session",
	"sign_in.change": "signed in again",
	"sign_in.create": "signed in",
	"sign_in.end": "signed out",
	"sign_in.throttled": "was refused after too many sign-ins",
	"sign_in_link.create": "made a link for a member",
	"sign_in_link.revoke": "revoked a link",
	"sign_in_link.use": "used a link",
	"stream_ticket.active": "was refused a live view that another tab has",
	"stream_ticket.create": "asked for a live view",
	"stream_ticket.not_ready": "was refused a live view that is not ready",
	"stream_ticket.ok": "opened a live view",
	"stream_ticket.revoked": "lost the live view",
	"stream_ticket.terminal": "was refused the live view of an ended session",
};

// Returns "made the API key" for api_key.create.
export function actionWords({ action, before, after }) {
	const [subject, verb] = action.split(".");
	if (action === "member.change" && after?.person_uuid && !before?.person_uuid)
		return "joined as";
	return EVENTS[action] ?? `${VERBS[verb] ?? verb.replaceAll("_", " ")} ${SUBJECTS[subject] ?? subject.replaceAll("_", " ")}`;
}

// Returns [name, kind] of an actor. Programs of the service have no names that a reader knows.
export function actorWords({ actor, program }) {
	const { kind = "program", name = program } = actor ?? {};
	if (kind === "member")
		return [name ?? "a person of another organisation", ""];
	if (kind === "key")
		return [name ?? "a removed key", "key"];
	if (kind === "admin")
		return [name, "operator"];
	return name === "public" ? ["somebody who was not signed in", ""] : ["the service", name ?? ""];
}
