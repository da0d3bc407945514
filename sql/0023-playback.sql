-- SPDX-License-Identifier: ISC
-- Playback of browser sessions (C-217 to C-224): the moves of a session's state, and everything that happened in a
-- session in one order.

-- Each state that a session has entered; the trigger browser_session_edge inserts it. The key is checked at the end of
-- the transaction, because the trigger runs before the row of a new session exists.
CREATE TABLE session_event (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	session_uuid uuid NOT NULL REFERENCES browser_session DEFERRABLE INITIALLY DEFERRED,
	at timestamptz NOT NULL,
	event text NOT NULL,
	state text NOT NULL CHECK (state IN ('queued', 'starting', 'running', 'closing', 'terminal')),
	reason text
);
CREATE INDEX session_event_at ON session_event (session_uuid, at);
CREATE INDEX screenshot_at ON screenshot (session_uuid, taken_at);

-- Sessions that are older than this file get the moves whose time their row contains.
INSERT INTO session_event (session_uuid, at, event, state, reason)
SELECT s.uuid, m.at, m.event, m.state, CASE WHEN m.state IN ('closing', 'terminal') THEN s.terminal_reason END
  FROM browser_session s CROSS JOIN LATERAL (VALUES (s.created_at, 'create', 'queued'), (s.ready_at, 'ready', 'running'),
	(s.close_requested_at, 'close', 'closing'),
	(s.terminal_at, CASE s.state_event WHEN 'fail' THEN 'fail' ELSE 'end' END, 'terminal')) AS m (at, event, state)
 WHERE m.at IS NOT NULL;

CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON session_event EXECUTE FUNCTION evidence_stands();

-- Everything that happened in a session, without a copy. Each part has an index that begins with session_uuid and the
-- time, so that a page of the timeline reads the index from where the former page ended.
CREATE VIEW session_timeline AS
	SELECT session_uuid, at, 'state' AS kind, uuid, NULL::integer AS tab, NULL::text AS url, state AS title,
		NULL::integer AS status, CASE WHEN state = 'terminal' AND reason IN ('failed', 'access_revoked') THEN reason END AS failure,
		NULL::bigint AS bytes, NULL::uuid AS screenshot_uuid, NULL::uuid AS network_event_id
	  FROM session_event
	UNION ALL
	SELECT session_uuid, taken_at, 'screenshot', uuid, tab, url, title, NULL, NULL, bytes, uuid, NULL
	  FROM screenshot
	UNION ALL
	SELECT session_uuid, at, doc ->> 'kind', uuid, (doc ->> 'tab')::integer, doc ->> 'url', NULL,
		(doc ->> 'status')::integer, doc ->> 'failure', (doc ->> 'bytes_received')::bigint, NULL, uuid
	  FROM network_event;

GRANT SELECT ON session_event, session_timeline TO surfaced_api, surfaced_admin;
