-- SPDX-License-Identifier: ISC
-- The life of a browser session (C-084 to C-106, C-743). The workers create and close sessions,
-- and surfaced-dispatch makes all other moves; neither has the right to write a state. session_apply alone
-- moves a session, along the rows of session_move, and the trigger browser_session_edge checks every move.
--
-- A dispatcher holds a session under a lease and an epoch, which each claim increments. A call about one
-- session names the epoch in which its runner was started, and changes nothing when the session has another
-- epoch.

-- Increments the counters of the organisation and of the caller, or raises SL001 with the name of the limit
-- that is reached. Every transaction locks the organisation before the caller, so that two transactions cannot
-- deadlock.
CREATE OR REPLACE FUNCTION session_admit(account uuid, caller uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO session_organisation (account_uuid) VALUES (account) ON CONFLICT DO NOTHING;
	INSERT INTO session_caller (key_uuid) VALUES (caller) ON CONFLICT DO NOTHING;
	UPDATE session_organisation SET active = active + 1
	 WHERE account_uuid = account AND active < coalesce(max_active, (SELECT organisation_sessions FROM session_policy));
	IF NOT FOUND THEN
		RAISE EXCEPTION 'organisation_limit' USING ERRCODE = 'SL001';
	END IF;
	UPDATE session_caller SET active = active + 1
	 WHERE key_uuid = caller AND active < coalesce(max_active, (SELECT caller_sessions FROM session_policy));
	IF NOT FOUND THEN
		RAISE EXCEPTION 'caller_limit' USING ERRCODE = 'SL001';
	END IF;
END
$$;

-- Decrements both counters.
CREATE OR REPLACE FUNCTION session_leave(account uuid, caller uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE session_organisation SET active = active - 1 WHERE account_uuid = account;
	UPDATE session_caller SET active = active - 1 WHERE key_uuid = caller;
END
$$;

-- Moves a session to another state; no other function does. True: the session moved. The row is locked first,
-- so that the move begins at the state that a concurrent transaction has left.
CREATE OR REPLACE FUNCTION session_apply(session uuid, what text, reason text DEFAULT NULL, epoch bigint DEFAULT NULL)
	RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM browser_session WHERE uuid = session FOR NO KEY UPDATE;
	UPDATE browser_session s SET state = m.to_state, state_event = m.event,
		terminal_reason = CASE WHEN m.to_state IN ('closing', 'terminal') THEN coalesce(s.terminal_reason, reason) END
	  FROM session_move m
	 WHERE s.uuid = session AND m.event = what AND m.from_state = s.state
	   AND (epoch IS NULL OR s.lease_epoch = epoch);
	RETURN FOUND;
END
$$;

-- Closes a session for a worker, which has checked the right of its client. Closing again changes nothing
-- (C-103).
CREATE OR REPLACE FUNCTION session_close(session uuid, by_creator boolean) RETURNS boolean LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT session_apply(session, 'close', CASE WHEN by_creator THEN 'closed_by_creator' ELSE 'closed_by_manager' END)
$$;

-- Seconds until a session of the caller, or of the whole organisation when caller is null, ends at the latest;
-- another request may take the free place first. A running session ends at its expiry. A session that is not
-- running yet may last a whole lifetime.
CREATE OR REPLACE FUNCTION session_wait(account uuid, caller uuid) RETURNS integer LANGUAGE sql STABLE AS $$
	SELECT greatest(1, ceil(coalesce(min(CASE s.state
			WHEN 'running' THEN extract(epoch FROM s.expires_at - clock_timestamp()) + p.close_seconds
			WHEN 'closing' THEN p.close_seconds
			ELSE p.lifetime_seconds END), p.lifetime_seconds)))::integer
	  FROM session_policy p
	  LEFT JOIN browser_session s ON s.state <> 'terminal' AND s.account_uuid = account
	       AND (caller IS NULL OR s.key_uuid = caller)
	 GROUP BY p.lifetime_seconds
$$;

-- outcome: created; repeated, with the first session's uuid; conflict: the same Idempotency-Key was used for
-- another request; organisation_limit or caller_limit, with the seconds to wait, and nothing is stored. The
-- Idempotency-Key is claimed first; the claim waits for a concurrent request with the same key (C-088, C-089).
CREATE OR REPLACE FUNCTION session_create(w session_wanted, space bytea, request bytea, resolved bytea)
	RETURNS TABLE (outcome text, uuid uuid, wait integer) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	account uuid := (SELECT k.account_uuid FROM api_key k WHERE k.uuid = w.key_uuid);
BEGIN
	IF session_create.space IS NOT NULL THEN
		INSERT INTO idempotency VALUES (session_create.space, session_create.request, session_create.resolved, w.uuid)
		    ON CONFLICT DO NOTHING;
		IF NOT FOUND THEN
			RETURN QUERY SELECT CASE WHEN i.request = session_create.request OR i.resolved = session_create.resolved
			    THEN 'repeated' ELSE 'conflict' END, i.session_uuid, 0
			  FROM idempotency i WHERE i.space = session_create.space;
			RETURN;
		END IF;
	END IF;
	BEGIN
		INSERT INTO browser_session (uuid, account_uuid, project_uuid, key_uuid, start_url, browser_profile,
			egress_country, viewport_width, viewport_height, replayed_from_session_uuid)
		VALUES (w.uuid, account, w.project_uuid, w.key_uuid, w.start_url, w.browser_profile, w.egress_country,
			w.viewport_width, w.viewport_height, w.replayed_from_session_uuid);
	EXCEPTION WHEN SQLSTATE 'SL001' THEN
		DELETE FROM idempotency i WHERE i.space = session_create.space;
		RETURN QUERY SELECT SQLERRM, w.uuid,
			session_wait(account, CASE WHEN SQLERRM = 'caller_limit' THEN w.key_uuid END);
		RETURN;
	END;
	RETURN QUERY SELECT 'created', w.uuid, 0;
END
$$;

-- True when this Idempotency-Key was used: such a request is answered without being admitted again.
CREATE OR REPLACE FUNCTION idempotency_used(space bytea) RETURNS boolean LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT EXISTS (SELECT FROM idempotency i WHERE i.space = idempotency_used.space)
$$;

-- The limits of one key, from the rows that session_admit enforces.
CREATE OR REPLACE FUNCTION session_limits(caller uuid, OUT organisation_sessions integer, OUT caller_sessions integer,
	OUT lifetime_seconds integer, OUT idle_seconds integer) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT coalesce(o.max_active, p.organisation_sessions), coalesce(c.max_active, p.caller_sessions),
		p.lifetime_seconds, p.idle_seconds
	  FROM session_policy p JOIN api_key k ON k.uuid = caller
	  LEFT JOIN session_organisation o ON o.account_uuid = k.account_uuid
	  LEFT JOIN session_caller c ON c.key_uuid = k.uuid
$$;

-- Stores the heartbeat of a dispatcher's host. started: the dispatcher has just started.
CREATE OR REPLACE FUNCTION browser_host_beat(host text, slots integer, fault text, started boolean) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO browser_host AS h (name, slots, fault) VALUES (host, slots, left(fault, 1000))
	ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, fault = excluded.fault,
		heartbeat_at = clock_timestamp(),
		started_at = CASE WHEN started THEN clock_timestamp() ELSE h.started_at END
$$;

-- How long a lease lasts.
CREATE OR REPLACE FUNCTION session_lease() RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT interval '15 seconds' $$;

-- How many times the start of a session is attempted.
CREATE OR REPLACE FUNCTION session_starts() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 3 $$;

-- Claims queued sessions for which the host has room, oldest first, each with a route that it keeps. The
-- host's row is locked in one statement and its sessions are counted in the next, which therefore sees the
-- claims of the previous holder of the lock.
CREATE OR REPLACE FUNCTION session_claim(host text) RETURNS SETOF uuid LANGUAGE plpgsql
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

-- Every session of a host whose lease has not ended, with the values that its runner needs.
CREATE OR REPLACE FUNCTION session_held(host text) RETURNS TABLE (uuid uuid, epoch bigint, state text, reason text,
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

-- Renews leases that have not ended; session_sweep ends the others. Rows are locked in one order.
CREATE OR REPLACE FUNCTION session_renew(host text, sessions uuid[], epochs bigint[]) RETURNS TABLE (uuid uuid) LANGUAGE sql
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

-- Marks a session as running when its browser shows its first page. Returns the milliseconds until the session
-- expires, or no row when the session is no longer starting.
CREATE OR REPLACE FUNCTION session_ready(session uuid, epoch bigint) RETURNS TABLE (expires_ms bigint) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF session_apply(session, 'ready', NULL, epoch) THEN
		RETURN QUERY SELECT (extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::bigint
		  FROM browser_session s WHERE s.uuid = session;
	END IF;
END
$$;

-- Stores the time of an input or a navigation, which keeps a session from becoming idle. Viewers without input
-- do not.
CREATE OR REPLACE FUNCTION session_activity(session uuid, epoch bigint) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE browser_session SET last_activity_at = clock_timestamp()
	 WHERE uuid = session AND lease_epoch = epoch AND state = 'running'
$$;

-- Moves a session whose runner has ended: a starting session is queued again, a closing one has ended, a
-- running one has failed. Returns the new state, or null when the session has another epoch or is terminal.
CREATE OR REPLACE FUNCTION session_lost(session uuid, epoch bigint) RETURNS text LANGUAGE plpgsql
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

-- True when the key that created a session could create it now. A session ends when this becomes false, as its
-- stream does (C-113).
CREATE OR REPLACE FUNCTION session_allowed(caller uuid, project uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM api_key k JOIN account a ON a.uuid = k.account_uuid JOIN member m ON m.uuid = k.owner_uuid
		JOIN account_scope c ON c.account_uuid = k.account_uuid AND c.scope = 'browser.sessions.create'
			AND c.scope::text = ANY (credential_scopes(k.uuid))
		JOIN entitlement e ON e.account_uuid = k.account_uuid AND e.name = 'browser'
	 WHERE k.uuid = caller AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
	   AND m.removed_at IS NULL AND a.state = 'active' AND (e.expires_at IS NULL OR e.expires_at > now()))
	   AND EXISTS (SELECT FROM visible_projects(caller) v WHERE v.uuid = project)
$$;

-- Ends sessions of any host whose lease, time, idle time or right has run out, and returns how many it
-- moved. One sweep runs at a time. It skips locked rows, since it runs again within a second.
CREATE OR REPLACE FUNCTION session_sweep(host text) RETURNS integer LANGUAGE plpgsql
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

GRANT EXECUTE ON FUNCTION session_close, session_create, idempotency_used, session_limits TO surfaced_api;
GRANT EXECUTE ON FUNCTION session_close, session_limits TO surfaced_admin;
GRANT EXECUTE ON FUNCTION browser_host_beat, session_claim, session_held, session_renew, session_ready, session_activity, session_lost, session_sweep TO surfaced_dispatch;
