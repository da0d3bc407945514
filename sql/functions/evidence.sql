-- SPDX-License-Identifier: ISC
-- The evidence of a browser session that surfaced-dispatch stores. The runner numbers its pieces of evidence
-- and sends each one until the dispatcher has confirmed it; session_evidence has the number of the last stored
-- piece, so that none is stored twice. Each function names the epoch of the runner: a runner whose lease was
-- taken over stores nothing.
--
-- Answers: stored (also when the piece was stored before), full (the session has reached its limit), stale
-- (there is no session with this epoch).

-- Creates the counts of a session of this epoch if they are missing, and locks them. Evidence that was taken
-- just before the end of a session is still accepted. False: there is no such session.
CREATE OR REPLACE FUNCTION evidence_begin(session uuid, epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Claims the number of a piece. new: this transaction has to store the piece. A piece with number 0 is always
-- new.
CREATE OR REPLACE FUNCTION evidence_place(session uuid, epoch bigint, seq bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF NOT evidence_begin(session, epoch) THEN
		RETURN 'stale';
	END IF;
	IF seq = 0 THEN
		RETURN 'new';
	END IF;
	UPDATE session_evidence e SET logged_epoch = epoch, logged_seq = seq
	 WHERE e.session_uuid = session AND (e.logged_epoch, e.logged_seq) < (epoch, seq);
	RETURN CASE WHEN FOUND THEN 'new' ELSE 'stored' END;
END
$$;

-- Whether another screenshot of this size may be stored; the dispatcher asks before it writes the file.
CREATE OR REPLACE FUNCTION screenshot_room(session uuid, epoch bigint, bytes bigint) RETURNS text LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN s.uuid IS NULL THEN 'stale'
		WHEN e.screenshots >= most.screenshots OR e.screenshot_bytes + screenshot_room.bytes > most.screenshot_bytes
		THEN 'full' ELSE 'stored' END
	  FROM evidence_most() AS most LEFT JOIN browser_session s ON s.uuid = session AND s.lease_epoch = epoch
	  LEFT JOIN session_evidence e ON e.session_uuid = s.uuid
$$;

-- Stores the row of a screenshot whose file exists.
CREATE OR REPLACE FUNCTION screenshot_add(session uuid, epoch bigint, t screenshot_taken) RETURNS text LANGUAGE plpgsql
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

-- Stores a batch of network events in their order, until the session has reached its limit. False: there is no
-- such session.
CREATE OR REPLACE FUNCTION network_add(session uuid, epoch bigint, docs jsonb[]) RETURNS boolean LANGUAGE plpgsql
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

-- Marks the network events of a session as incomplete.
CREATE OR REPLACE FUNCTION network_truncate(session uuid, epoch bigint) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF evidence_begin(session, epoch) THEN
		UPDATE session_evidence SET network_truncated = true WHERE session_uuid = session;
	END IF;
END
$$;

-- The documents that a session's tabs have shown, one for each load of a main frame: from the beginning of the request for
-- the document to the next one of the tab. Requests of a tab from before its first load, and those of a tab that has
-- loaded nothing, belong to a page without a load, so that every request has a page.
CREATE OR REPLACE FUNCTION network_pages(session uuid) RETURNS TABLE (number bigint, tab integer, began timestamptz,
	ended timestamptz, loaded timestamptz, url text) LANGUAGE sql STABLE AS $$
	WITH event AS MATERIALIZED (
		SELECT (e.doc ->> 'tab')::integer AS tab, e.doc ->> 'kind' AS kind, e.at, e.doc ->> 'url' AS url,
			e.at - coalesce((e.doc ->> 'duration_ms')::bigint, 0) * interval '1 ms' AS began
		  FROM network_event e WHERE e.session_uuid = session AND e.doc ->> 'kind' IN ('request', 'websocket', 'page')),
	load AS (SELECT v.tab, v.began, v.at AS loaded, v.url FROM event v WHERE v.kind = 'page'),
	page AS (
		SELECT * FROM load
		UNION ALL
		SELECT * FROM (SELECT DISTINCT ON (v.tab) v.tab, v.at, NULL::timestamptz, v.url FROM event v
			WHERE v.kind <> 'page' ORDER BY v.tab, v.at) AS f (tab, began, loaded, url)
		 WHERE NOT EXISTS (SELECT FROM load l WHERE l.tab = f.tab AND l.began <= f.began))
	SELECT row_number() OVER (ORDER BY p.began, p.tab, p.loaded), p.tab, p.began,
		lead(p.began, 1, 'infinity') OVER (PARTITION BY p.tab ORDER BY p.began, p.loaded), p.loaded, p.url
	  FROM page p
$$;

-- HAR has times with microseconds, in UTC.
CREATE OR REPLACE FUNCTION har_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- A session's pages of a HAR 1.2, in the order of their time, each with its screenshots.
CREATE OR REPLACE FUNCTION network_har_pages(session uuid) RETURNS SETOF jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', 'page_' || p.number, 'startedDateTime', har_time(p.began), 'title', coalesce(p.url, ''),
		'pageTimings', jsonb_build_object('onContentLoad', -1,
			'onLoad', coalesce(extract(epoch FROM p.loaded - p.began) * 1000, -1)), '_tab', p.tab,
		'_screenshots', coalesce((SELECT jsonb_agg(jsonb_build_object('uuid', s.uuid, 'taken_at', har_time(s.taken_at),
				'reason', s.reason, 'mime', s.mime, 'sha256', encode(s.sha256, 'hex')) ORDER BY s.taken_at, s.uuid)
			  FROM screenshot s WHERE s.session_uuid = session AND s.tab = p.tab
			   AND s.taken_at >= p.began AND s.taken_at < p.ended), '[]'))
	  FROM network_pages(session) p ORDER BY p.number
$$;

-- A session's requests and WebSockets as entries of a HAR 1.2, in the order of their time. The size of a body
-- is unknown (-1): bytes_received counts the bytes that came over the network.
CREATE OR REPLACE FUNCTION network_har(session uuid) RETURNS SETOF jsonb LANGUAGE sql STABLE AS $$
	WITH page AS MATERIALIZED (SELECT * FROM network_pages(session))
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'pageref', 'page_' || (SELECT max(p.number) FROM page p WHERE p.tab = (e.doc ->> 'tab')::integer AND p.began <= e.at),
		'startedDateTime', har_time(e.at),
		'time', coalesce((e.doc ->> 'duration_ms')::bigint, 0),
		'_id', e.uuid,
		'serverIPAddress', e.doc -> 'remote_address',
		'_tab', e.doc -> 'tab', '_resourceType', lower(e.doc ->> 'resource_type'), '_error', e.doc -> 'failure',
		'request', jsonb_build_object('method', e.doc -> 'method', 'url', e.doc -> 'url',
			'httpVersion', coalesce(e.doc ->> 'protocol', ''), 'cookies', '[]'::jsonb,
			'headers', e.doc -> 'request_headers', 'queryString', '[]'::jsonb, 'headersSize', -1,
			'bodySize', -1, '_bytesSent', e.doc -> 'bytes_sent'),
		'response', jsonb_build_object('status', coalesce((e.doc ->> 'status')::integer, 0), 'statusText', '',
			'httpVersion', coalesce(e.doc ->> 'protocol', ''), 'cookies', '[]'::jsonb,
			'headers', e.doc -> 'response_headers', 'redirectURL', '', 'headersSize', -1, 'bodySize', -1,
			'_transferSize', e.doc -> 'bytes_received', 'content', jsonb_build_object('size', -1,
				'mimeType', coalesce(e.doc ->> 'mime', ''))),
		'cache', '{}'::jsonb,
		'timings', jsonb_build_object('send', 0, 'wait', coalesce((e.doc ->> 'duration_ms')::bigint, 0), 'receive', 0)))
	  FROM network_event e WHERE e.session_uuid = session AND e.doc ->> 'kind' IN ('request', 'websocket')
	 ORDER BY e.at, e.uuid
$$;

-- Does the same as screenshot_room for a numbered piece, and returns room, stored, full or stale.
CREATE OR REPLACE FUNCTION evidence_room(session uuid, epoch bigint, seq bigint, bytes bigint) RETURNS text LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM session_evidence e WHERE e.session_uuid = session
			AND seq > 0 AND e.logged_epoch = epoch AND e.logged_seq >= seq) THEN 'stored'
		WHEN r.said = 'stored' THEN 'room' ELSE r.said END
	  FROM screenshot_room(session, epoch, bytes) AS r (said)
$$;

-- Stores a numbered screenshot.
CREATE OR REPLACE FUNCTION evidence_shot(session uuid, epoch bigint, seq bigint, t screenshot_taken) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	place text := evidence_place(session, epoch, seq);
BEGIN
	RETURN CASE WHEN place = 'new' THEN screenshot_add(session, epoch, t) ELSE place END;
END
$$;

-- Stores a numbered batch of network events. truncated: the runner dropped some.
CREATE OR REPLACE FUNCTION evidence_network(session uuid, epoch bigint, seq bigint, docs jsonb[], truncated boolean) RETURNS text
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	place text := evidence_place(session, epoch, seq);
BEGIN
	IF place <> 'new' THEN
		RETURN place;
	END IF;
	IF truncated THEN
		PERFORM network_truncate(session, epoch);
	END IF;
	RETURN CASE WHEN network_add(session, epoch, docs) THEN 'stored' ELSE 'stale' END;
END
$$;

GRANT EXECUTE ON FUNCTION screenshot_room, screenshot_add, network_add, network_truncate, evidence_room, evidence_shot, evidence_network TO surfaced_dispatch;
GRANT EXECUTE ON FUNCTION network_pages, har_time, network_har_pages, network_har TO surfaced_api;
