-- SPDX-License-Identifier: ISC
-- What surfaced-dispatch does with browser sessions, and their evidence. It has no right on a table: each
-- thing it may do is a function here, and what concerns one session says the epoch it believes in.

-- Machines that run browsers. A fault, in words, is why one takes no new session.
CREATE TABLE browser_host (
	name text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 400),
	slots integer NOT NULL CHECK (slots BETWEEN 0 AND 10000),
	fault text CHECK (char_length(fault) <= 1000),
	started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- started: the program has just begun there.
CREATE FUNCTION browser_host_beat(host text, slots integer, fault text, started boolean) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO browser_host AS h (name, slots, fault) VALUES (host, slots, left(fault, 1000))
	ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, fault = excluded.fault,
		heartbeat_at = clock_timestamp(),
		started_at = CASE WHEN started THEN clock_timestamp() ELSE h.started_at END
$$;

-- ---- the life of a session ----

-- How long a lease lasts, and how often a start is tried.
CREATE FUNCTION session_lease() RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT interval '15 seconds' $$;
CREATE FUNCTION session_starts() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 3 $$;

-- Takes what the host has room for, oldest first, each with a route that it keeps. The host's row is locked
-- in one statement and what it holds counted in the next: that one sees what whoever had the lock has done.
CREATE FUNCTION session_claim(host text) RETURNS SETOF uuid LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	room integer;
	session uuid;
BEGIN
	SELECT h.slots INTO room FROM browser_host h WHERE h.name = session_claim.host AND h.fault IS NULL FOR UPDATE;
	room := room - (SELECT count(*) FROM browser_session s WHERE s.host = session_claim.host
		AND s.state IN ('starting', 'running', 'closing') AND s.lease_until IS NOT NULL);
	IF room IS NULL OR room <= 0 THEN
		RETURN;
	END IF;
	FOR session IN SELECT s.uuid FROM browser_session s WHERE s.state = 'queued'
	    AND EXISTS (SELECT FROM egress_route r WHERE r.country = s.egress_country AND r.enabled AND r.answered)
	    ORDER BY s.created_at, s.uuid LIMIT room FOR NO KEY UPDATE SKIP LOCKED
	LOOP
		UPDATE browser_session s SET host = session_claim.host, lease_epoch = s.lease_epoch + 1,
			starts = s.starts + 1, lease_until = clock_timestamp() + session_lease(),
			route_uuid = coalesce((SELECT r.uuid FROM egress_route r WHERE r.uuid = s.route_uuid AND r.enabled AND r.answered),
				(SELECT r.uuid FROM egress_route r WHERE r.country = s.egress_country AND r.enabled AND r.answered
				  ORDER BY random() LIMIT 1))
		 WHERE s.uuid = session;
		PERFORM session_apply(session, 'claim');
		RETURN NEXT session;
	END LOOP;
END
$$;

-- What one host holds, as it stands: every session whose lease has not ended, with all that a runner needs.
CREATE FUNCTION session_held(host text) RETURNS TABLE (uuid uuid, epoch bigint, state text, reason text,
	expires_ms bigint, close_seconds integer, start_url text, browser_profile text, egress_country text, width integer,
	height integer, lifetime_seconds integer, idle_seconds integer, kind text, route_host text, port integer,
	credential text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT s.uuid, s.lease_epoch, s.state, s.terminal_reason,
		greatest(0, coalesce((extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::bigint, 0)), p.close_seconds,
		s.start_url, s.browser_profile, s.egress_country, s.viewport_width, s.viewport_height,
		p.lifetime_seconds, p.idle_seconds, r.kind, r.host, coalesce(r.port, 0), r.credential
	  FROM browser_session s CROSS JOIN session_policy p JOIN egress_route r ON r.uuid = s.route_uuid
	 WHERE s.host = session_held.host AND s.state IN ('starting', 'running', 'closing')
	   AND s.lease_until > clock_timestamp()
$$;

-- Renews the leases of these that have not ended; one that has is the sweep's. Locked in one order.
CREATE FUNCTION session_renew(host text, sessions uuid[], epochs bigint[]) RETURNS TABLE (uuid uuid) LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH held AS (
		SELECT s.uuid FROM browser_session s
		  JOIN unnest(sessions, epochs) AS mine (uuid, epoch) ON mine.uuid = s.uuid AND mine.epoch = s.lease_epoch
		 WHERE s.host = session_renew.host AND s.state IN ('starting', 'running', 'closing')
		   AND s.lease_until > clock_timestamp()
		 ORDER BY s.uuid FOR NO KEY UPDATE OF s)
	UPDATE browser_session s SET lease_until = clock_timestamp() + session_lease() FROM held
	 WHERE s.uuid = held.uuid RETURNING s.uuid
$$;

-- The browser shows its first page. Milliseconds until the session expires; no row: it is no longer starting.
CREATE FUNCTION session_ready(session uuid, epoch bigint) RETURNS TABLE (expires_ms bigint) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF session_apply(session, 'ready', NULL, epoch) THEN
		RETURN QUERY SELECT (extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::bigint
		  FROM browser_session s WHERE s.uuid = session;
	END IF;
END
$$;

-- Input or navigation; watching is none.
CREATE FUNCTION session_activity(session uuid, epoch bigint) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE browser_session SET last_activity_at = clock_timestamp()
	 WHERE uuid = session AND lease_epoch = epoch AND state = 'running'
$$;

-- Its runner is gone, whatever the reason: a start is tried again, a closing session has ended, a running
-- one is never resumed. The state it has come to; null: it was not of this epoch, or terminal.
CREATE FUNCTION session_lost(session uuid, epoch bigint) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	s browser_session;
BEGIN
	SELECT * INTO s FROM browser_session b WHERE b.uuid = session AND b.lease_epoch = epoch FOR NO KEY UPDATE;
	IF s.state = 'closing' THEN
		PERFORM session_apply(session, 'end', NULL, epoch);
	ELSIF s.state = 'starting' AND s.starts < session_starts() THEN
		PERFORM session_apply(session, 'requeue', NULL, epoch);
	ELSIF s.state IN ('starting', 'running') THEN
		PERFORM session_apply(session, 'fail', 'failed', epoch);
	ELSE
		RETURN NULL;
	END IF;
	RETURN (SELECT b.state FROM browser_session b WHERE b.uuid = session);
END
$$;

-- Whether the key that created a session could create it now: what a live session needs all its life (as
-- the stream's rechecks, C-113).
CREATE FUNCTION session_allowed(caller uuid, project uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM api_key k JOIN account a ON a.uuid = k.account_uuid JOIN member m ON m.uuid = k.owner_uuid
		JOIN account_scope c ON c.account_uuid = k.account_uuid AND c.scope = 'browser.sessions.create' AND c.scope = ANY (k.scopes)
		JOIN entitlement e ON e.account_uuid = k.account_uuid AND e.name = 'browser'
	 WHERE k.uuid = caller AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
	   AND m.removed_at IS NULL AND a.state = 'active' AND (e.expires_at IS NULL OR e.expires_at > now()))
	   AND EXISTS (SELECT FROM visible_projects(caller) v WHERE v.uuid = project)
$$;

-- How long a session may wait for a browser while there is a dispatcher.
ALTER TABLE session_policy ADD COLUMN queue_seconds integer NOT NULL DEFAULT 1800
	CHECK (queue_seconds BETWEEN 10 AND 86400);

-- What time and lost rights do to sessions, of whatever host. One at a time, and never waiting for a row
-- that somebody else has in hand: it comes again within a second. How many it moved.
CREATE FUNCTION session_sweep(host text) RETURNS integer LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	p session_policy := (SELECT y FROM session_policy y);
	s record;
	n integer := 0;
BEGIN
	IF NOT pg_try_advisory_xact_lock(hashtext('session_sweep')) THEN
		RETURN 0;
	END IF;
	FOR s IN SELECT b.uuid, b.lease_epoch FROM browser_session b
	    WHERE b.state IN ('starting', 'running', 'closing') AND coalesce(b.lease_until, '-infinity') <= clock_timestamp()
	    ORDER BY b.uuid LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED
	LOOP
		PERFORM session_lost(s.uuid, s.lease_epoch);
		n := n + 1;
	END LOOP;
	FOR s IN SELECT b.uuid, w.event, w.reason FROM browser_session b
	    CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT session_allowed(b.key_uuid, b.project_uuid) THEN 'revoke'
			WHEN b.state = 'running' AND b.expires_at <= clock_timestamp() THEN 'expire'
			WHEN b.state = 'running' AND greatest(b.last_activity_at, b.ready_at)
				+ make_interval(secs => p.idle_seconds) <= clock_timestamp() THEN 'idle'
			WHEN b.state = 'queued' AND greatest(b.created_at, (SELECT h.started_at FROM browser_host h
				WHERE h.name = session_sweep.host)) + make_interval(secs => p.queue_seconds) <= clock_timestamp() THEN 'fail'
			END) AS e (event)
	    JOIN (VALUES ('revoke', 'access_revoked'), ('expire', 'expired'), ('idle', 'idle_timeout'), ('fail', 'failed'))
		AS w (event, reason) ON w.event = e.event
	    WHERE b.state IN ('queued', 'starting', 'running')
	    ORDER BY b.uuid LIMIT 100 FOR NO KEY UPDATE OF b SKIP LOCKED
	LOOP
		PERFORM session_apply(s.uuid, s.event, s.reason);
		n := n + 1;
	END LOOP;
	RETURN n;
END
$$;

-- ---- routes ----

-- A probe that somebody waits for has a target, "host:port"; what the last one found.
ALTER TABLE egress_route ADD COLUMN probe_target text CHECK (probe_target ~ '^[A-Za-z0-9.-]{1,253}:[0-9]{1,5}$'),
	ADD COLUMN probe_ms integer, ADD COLUMN probe_why text;

-- Those that are to be probed now. target: of the rounds that nobody asked for; empty: there are none.
CREATE FUNCTION route_due(target text, every_ms bigint) RETURNS TABLE (uuid uuid, kind text, host text, port integer,
	credential text, probe_target text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT r.uuid, r.kind, r.host, coalesce(r.port, 0), r.credential, coalesce(r.probe_target, target) FROM egress_route r
	 WHERE r.probe_target IS NOT NULL OR (r.enabled AND target <> ''
	   AND coalesce(r.probed_at, '-infinity') <= clock_timestamp() - make_interval(secs => every_ms / 1000.0))
	 ORDER BY r.uuid LIMIT 100
$$;

CREATE FUNCTION route_probed(route uuid, answered boolean, ms bigint, why text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE egress_route r SET answered = route_probed.answered, probed_at = clock_timestamp(), probe_target = NULL,
		probe_ms = CASE WHEN route_probed.answered THEN ms END, probe_why = why WHERE r.uuid = route
$$;

CREATE FUNCTION route_probe_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY session_changed;
	RETURN NULL;
END
$$;
CREATE TRIGGER route_probe_wanted AFTER UPDATE ON egress_route FOR EACH ROW
	WHEN (NEW.probe_target IS NOT NULL) EXECUTE FUNCTION route_probe_wanted();

-- A probe is no change of a route: only what it found is.
DROP TRIGGER audit_row ON egress_route;
CREATE TRIGGER audit_row AFTER INSERT OR DELETE ON egress_route FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_change AFTER UPDATE ON egress_route FOR EACH ROW
	WHEN ((OLD.country, OLD.kind, OLD.host, OLD.port, OLD.credential, OLD.enabled, OLD.answered)
	    IS DISTINCT FROM (NEW.country, NEW.kind, NEW.host, NEW.port, NEW.credential, NEW.enabled, NEW.answered))
	EXECUTE FUNCTION audit_row('uuid');

-- ---- evidence: kept for ever, bounded as it is made (C-106) ----

-- An image is a file of evidence_directory, named by its SHA-256: the row is written when the file stands.
CREATE TABLE screenshot (
	uuid uuid PRIMARY KEY,
	session_uuid uuid NOT NULL REFERENCES browser_session,
	sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
	bytes bigint NOT NULL CHECK (bytes BETWEEN 1 AND 16777216),
	mime text NOT NULL CHECK (mime IN ('image/jpeg', 'image/png')),
	width integer NOT NULL CHECK (width BETWEEN 1 AND 65535),
	height integer NOT NULL CHECK (height BETWEEN 1 AND 65535),
	reason text NOT NULL CHECK (reason IN ('ready', 'load', 'request', 'interval', 'close')),
	tab integer NOT NULL CHECK (tab BETWEEN 0 AND 65535),
	url text NOT NULL CHECK (char_length(url) <= 32768),
	title text NOT NULL CHECK (char_length(title) <= 32768),
	taken_at timestamptz NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX screenshot_page ON screenshot (session_uuid, created_at DESC, uuid);

-- doc: what the browser's side said of it, checked and redacted. id is that side's, so that a batch which
-- comes again is not stored twice.
CREATE TABLE network_event (
	session_uuid uuid NOT NULL REFERENCES browser_session,
	seq bigint NOT NULL CHECK (seq > 0),
	uuid uuid NOT NULL,
	at timestamptz NOT NULL,
	doc jsonb NOT NULL CHECK (jsonb_typeof(doc) = 'object'),
	PRIMARY KEY (session_uuid, seq),
	UNIQUE (session_uuid, uuid)
);
CREATE INDEX network_event_page ON network_event (session_uuid, at, uuid);

-- What one session may have of it: 200 MiB, 32 MiB.
CREATE FUNCTION evidence_most(OUT screenshots integer, OUT screenshot_bytes bigint, OUT network_events integer,
	OUT network_bytes bigint) LANGUAGE sql IMMUTABLE AS $$
	SELECT 200, 209715200::bigint, 20000, 33554432::bigint
$$;

CREATE TABLE session_evidence (
	session_uuid uuid PRIMARY KEY REFERENCES browser_session,
	screenshots integer NOT NULL DEFAULT 0 CHECK (screenshots BETWEEN 0 AND (evidence_most()).screenshots),
	screenshot_bytes bigint NOT NULL DEFAULT 0 CHECK (screenshot_bytes BETWEEN 0 AND (evidence_most()).screenshot_bytes),
	network_events integer NOT NULL DEFAULT 0 CHECK (network_events BETWEEN 0 AND (evidence_most()).network_events),
	network_bytes bigint NOT NULL DEFAULT 0 CHECK (network_bytes BETWEEN 0 AND (evidence_most()).network_bytes),
	network_truncated boolean NOT NULL DEFAULT false -- there was more than is stored
);

-- Nothing and nobody changes evidence.
CREATE FUNCTION evidence_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'evidence is never changed';
END
$$;
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON screenshot EXECUTE FUNCTION evidence_stands();
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON network_event EXECUTE FUNCTION evidence_stands();

-- Locks the counts of a session of this epoch, and makes them first. What was taken just before its end is
-- still taken. False: there is no such session.
CREATE FUNCTION evidence_begin(session uuid, epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO session_evidence (session_uuid) SELECT s.uuid FROM browser_session s
	 WHERE s.uuid = session AND s.lease_epoch = epoch
	   AND (s.terminal_at IS NULL OR s.terminal_at > clock_timestamp() - interval '2 minutes')
	    ON CONFLICT DO NOTHING;
	PERFORM FROM browser_session s WHERE s.uuid = session AND s.lease_epoch = epoch
	   AND (s.terminal_at IS NULL OR s.terminal_at > clock_timestamp() - interval '2 minutes');
	IF FOUND THEN
		PERFORM FROM session_evidence e WHERE e.session_uuid = session FOR UPDATE;
		RETURN true;
	END IF;
	RETURN false;
END
$$;

-- Whether one more of so many bytes may be stored: asked before its file is made.
CREATE FUNCTION screenshot_room(session uuid, epoch bigint, bytes bigint) RETURNS text LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN s.uuid IS NULL THEN 'stale'
		WHEN e.screenshots >= most.screenshots OR e.screenshot_bytes + screenshot_room.bytes > most.screenshot_bytes
		THEN 'full' ELSE 'stored' END
	  FROM evidence_most() AS most LEFT JOIN browser_session s ON s.uuid = session AND s.lease_epoch = epoch
	  LEFT JOIN session_evidence e ON e.session_uuid = s.uuid
$$;

CREATE TYPE screenshot_taken AS (
	uuid uuid, sha256 bytea, bytes bigint, mime text, width integer, height integer, reason text, tab integer,
	url text, title text, taken_at timestamptz
);

-- stored, also again; full: it has all that a session may; or stale: there is no such session.
CREATE FUNCTION screenshot_add(session uuid, epoch bigint, t screenshot_taken) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF NOT evidence_begin(session, epoch) THEN
		RETURN 'stale';
	END IF;
	IF EXISTS (SELECT FROM screenshot s WHERE s.uuid = t.uuid) THEN
		RETURN CASE WHEN EXISTS (SELECT FROM screenshot s WHERE s.uuid = t.uuid AND s.session_uuid = session
			AND s.sha256 = t.sha256) THEN 'stored' ELSE 'stale' END;
	END IF;
	UPDATE session_evidence e SET screenshots = e.screenshots + 1, screenshot_bytes = e.screenshot_bytes + t.bytes
	  FROM evidence_most() AS most
	 WHERE e.session_uuid = session AND e.screenshots < most.screenshots
	   AND e.screenshot_bytes + t.bytes <= most.screenshot_bytes;
	IF NOT FOUND THEN
		RETURN 'full';
	END IF;
	INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)
	VALUES (t.uuid, session, t.sha256, t.bytes, t.mime, t.width, t.height, t.reason, t.tab, t.url, t.title, t.taken_at);
	RETURN 'stored';
END
$$;

-- A batch in its order, as far as there is room. False: there is no such session.
CREATE FUNCTION network_add(session uuid, epoch bigint, docs jsonb[]) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	most record;
	e session_evidence;
	d jsonb;
	size bigint;
BEGIN
	IF NOT evidence_begin(session, epoch) THEN
		RETURN false;
	END IF;
	SELECT * INTO most FROM evidence_most();
	SELECT * INTO e FROM session_evidence v WHERE v.session_uuid = session;
	FOREACH d IN ARRAY docs LOOP
		size := octet_length(d::text);
		IF e.network_events >= most.network_events OR e.network_bytes + size > most.network_bytes THEN
			e.network_truncated := true;
			EXIT;
		END IF;
		INSERT INTO network_event (session_uuid, seq, uuid, at, doc)
		VALUES (session, e.network_events + 1, (d ->> 'id')::uuid, (d ->> 'at')::timestamptz, d - 'id' - 'at')
		    ON CONFLICT DO NOTHING;
		IF FOUND THEN
			e.network_events := e.network_events + 1;
			e.network_bytes := e.network_bytes + size;
		END IF;
	END LOOP;
	UPDATE session_evidence v SET network_events = e.network_events, network_bytes = e.network_bytes,
		network_truncated = e.network_truncated WHERE v.session_uuid = session;
	RETURN true;
END
$$;

CREATE FUNCTION network_truncate(session uuid, epoch bigint) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF evidence_begin(session, epoch) THEN
		UPDATE session_evidence SET network_truncated = true WHERE session_uuid = session;
	END IF;
END
$$;

-- A session's requests and WebSockets as entries of a HAR 1.2, in the order of their time.
CREATE FUNCTION network_har(session uuid) RETURNS SETOF jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'startedDateTime', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
		'time', coalesce((e.doc ->> 'duration_ms')::bigint, 0),
		'serverIPAddress', e.doc -> 'remote_address',
		'_tab', e.doc -> 'tab', '_resourceType', lower(e.doc ->> 'resource_type'), '_error', e.doc -> 'failure',
		'request', jsonb_build_object('method', e.doc -> 'method', 'url', e.doc -> 'url',
			'httpVersion', coalesce(e.doc ->> 'protocol', ''), 'cookies', '[]'::jsonb,
			'headers', e.doc -> 'request_headers', 'queryString', '[]'::jsonb, 'headersSize', -1,
			'bodySize', -1, '_bytesSent', e.doc -> 'bytes_sent'),
		'response', jsonb_build_object('status', coalesce((e.doc ->> 'status')::integer, 0), 'statusText', '',
			'httpVersion', coalesce(e.doc ->> 'protocol', ''), 'cookies', '[]'::jsonb,
			'headers', e.doc -> 'response_headers', 'redirectURL', '', 'headersSize', -1, 'bodySize', -1,
			'content', jsonb_build_object('size', e.doc -> 'bytes_received',
				'mimeType', coalesce(e.doc ->> 'mime', ''))),
		'cache', '{}'::jsonb,
		'timings', jsonb_build_object('send', 0, 'wait', coalesce((e.doc ->> 'duration_ms')::bigint, 0), 'receive', 0)))
	  FROM network_event e WHERE e.session_uuid = session AND e.doc ->> 'kind' IN ('request', 'websocket')
	 ORDER BY e.at, e.uuid
$$;
GRANT EXECUTE ON FUNCTION network_har TO surfaced_api;

GRANT SELECT ON screenshot, network_event, session_evidence TO surfaced_api, surfaced_admin;
GRANT SELECT ON browser_host TO surfaced_admin;
GRANT USAGE ON TYPE screenshot_taken TO surfaced_dispatch;
GRANT EXECUTE ON FUNCTION browser_host_beat, session_claim, session_held, session_renew, session_ready, session_activity,
	session_lost, session_sweep, route_due, route_probed, screenshot_room, screenshot_add, network_add, network_truncate
	TO surfaced_dispatch;
