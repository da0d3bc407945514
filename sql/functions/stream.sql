-- SPDX-License-Identifier: ISC
-- The live stream (C-107 to C-114). A ticket is used once and a session has one controlling
-- stream; stream_redeem decides both in one statement.

-- outcome: ok, or not_ready (the session has no stream yet), or terminal (it has none any more). Only the
-- creator of a session gets a ticket; the worker has checked all other conditions before the call.
CREATE OR REPLACE FUNCTION stream_issue(jti uuid, session uuid, caller uuid, seconds integer,
	OUT outcome text) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	account uuid;
BEGIN
	SELECT CASE WHEN s.state = 'running' THEN 'ok' WHEN s.state IN ('queued', 'starting') THEN 'not_ready'
		ELSE 'terminal' END, s.account_uuid
	  INTO STRICT outcome, account
	  FROM browser_session s WHERE s.uuid = session AND s.key_uuid = caller;
	IF outcome = 'ok' THEN
		INSERT INTO stream_ticket (jti, account_uuid, session_uuid, key_uuid, expires_at)
		VALUES (stream_issue.jti, account, session, caller, now() + make_interval(secs => seconds));
	END IF;
END
$$;

-- The same for a person, whose sign-in the stream needs as long as it runs.
CREATE OR REPLACE FUNCTION stream_issue_for(jti uuid, session uuid, caller uuid, seconds integer, sign_in uuid,
	OUT outcome text) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	outcome := (SELECT i.outcome FROM stream_issue(stream_issue_for.jti, session, caller, seconds) AS i);
	UPDATE stream_ticket t SET sign_in_uuid = stream_issue_for.sign_in
	 WHERE t.jti = stream_issue_for.jti AND stream_issue_for.sign_in IS NOT NULL;
END
$$;

-- Whether a stream has no sign-in, or one that has not ended.
CREATE OR REPLACE FUNCTION stream_signed_in(p_sign_in uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT p_sign_in IS NULL OR EXISTS (SELECT FROM sign_in i WHERE i.uuid = p_sign_in AND i.ended_at IS NULL
		AND i.expires_at > clock_timestamp())
$$;

-- Uses a ticket. outcome: ok, with the epoch of the session's runner; invalid: the ticket was used, has expired
-- or never existed; key: an API key was sent that did not create the session, and the ticket stays unused;
-- elsewhere: the session's runner is on the host in `host`, which is not p_host, and the ticket stays unused; any
-- other: the ticket is used, and the outcome is the reason for the refusal.
CREATE OR REPLACE FUNCTION stream_redeem(ticket uuid, session uuid, sent bytea, stream uuid, proxy uuid, lease integer,
	request_id text, p_host text, OUT outcome text, OUT epoch bigint, OUT host text) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	r stream_right;
	k api_key;
	person uuid; -- the sign-in of a person's stream
BEGIN
	epoch := 0;
	SELECT key.* INTO k FROM browser_session s JOIN api_key key ON key.uuid = s.key_uuid WHERE s.uuid = session;
	host := coalesce((SELECT s.host FROM browser_session s WHERE s.uuid = session), '');
	IF sent IS NOT NULL AND sent IS DISTINCT FROM k.sha256 THEN
		outcome := 'key';
		RETURN;
	END IF;
	PERFORM FROM stream_ticket t WHERE t.jti = ticket AND t.session_uuid = session AND t.used_at IS NULL
	    AND t.expires_at > clock_timestamp() FOR UPDATE;
	IF NOT FOUND THEN
		outcome := 'invalid';
		RETURN;
	END IF;
	SELECT * INTO STRICT r FROM stream_right WHERE session_uuid = session;
	SELECT t.sign_in_uuid INTO person FROM stream_ticket t WHERE t.jti = ticket;
	outcome := CASE WHEN NOT r.may OR NOT stream_signed_in(person) THEN 'revoked' WHEN r.state = 'running' THEN 'ok'
		WHEN r.state IN ('queued', 'starting') THEN 'not_ready' ELSE 'terminal' END;
	IF outcome = 'ok' AND host <> p_host THEN
		outcome := 'elsewhere';
		RETURN;
	END IF;
	IF outcome = 'ok' THEN
		INSERT INTO stream_proxy (uuid, lease_until) VALUES (proxy, clock_timestamp() + make_interval(secs => lease))
		    ON CONFLICT (uuid) DO UPDATE SET lease_until = excluded.lease_until;
		INSERT INTO stream_slot AS o (session_uuid, stream_uuid, proxy_uuid, sign_in_uuid) VALUES (session, stream, proxy, person)
		    ON CONFLICT (session_uuid) DO UPDATE SET stream_uuid = excluded.stream_uuid,
			proxy_uuid = excluded.proxy_uuid, sign_in_uuid = excluded.sign_in_uuid, taken_at = now()
		    WHERE NOT EXISTS (SELECT FROM stream_proxy p WHERE p.uuid = o.proxy_uuid AND p.lease_until > clock_timestamp());
		IF NOT FOUND THEN
			outcome := 'active';
		END IF;
		epoch := r.lease_epoch;
	END IF;
	PERFORM set_config('surfaced.actor', CASE k.kind WHEN 'key' THEN 'key:' || k.prefix ELSE 'member:' || k.owner_uuid END, true), set_config('surfaced.request_id', request_id, true);
	UPDATE stream_ticket t SET used_at = clock_timestamp(), outcome = stream_redeem.outcome WHERE t.jti = ticket;
END
$$;

-- Renews the lease of a proxy. Deletes the proxies in `dead`, whose processes have ended, the proxies whose
-- lease ended ten minutes ago, and the tickets that expired ten minutes ago.
CREATE OR REPLACE FUNCTION stream_keep(proxy uuid, lease integer, dead uuid[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO stream_proxy (uuid, lease_until) VALUES (proxy, clock_timestamp() + make_interval(secs => lease))
	    ON CONFLICT (uuid) DO UPDATE SET lease_until = excluded.lease_until;
	DELETE FROM stream_proxy p WHERE p.uuid <> proxy
	   AND (p.uuid = ANY (dead) OR p.lease_until < clock_timestamp() - interval '10 min');
	DELETE FROM stream_ticket t WHERE t.expires_at < clock_timestamp() - interval '10 min';
$$;

-- Whether each stream of a proxy may continue, in one statement. A lost right comes before the state of the
-- session, because session_sweep ends a session for the same lost right and may do so before surfaced-stream
-- asks: the stream closes with 1008 either way. The runner ends the stream of a closing session.
CREATE OR REPLACE FUNCTION stream_check(proxy uuid) RETURNS TABLE (stream uuid, standing text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT o.stream_uuid, CASE WHEN NOT r.may OR NOT stream_signed_in(o.sign_in_uuid) OR s.terminal_reason IS NOT DISTINCT FROM 'access_revoked' THEN 'revoked'
		WHEN r.state = 'terminal' THEN 'terminal' WHEN r.state IN ('running', 'closing') THEN 'ok' ELSE 'not_ready' END
	  FROM stream_slot o JOIN stream_right r USING (session_uuid) JOIN browser_session s ON s.uuid = o.session_uuid
	 WHERE o.proxy_uuid = proxy
$$;

-- Frees the slots of streams that have ended.
CREATE OR REPLACE FUNCTION stream_release(streams uuid[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	DELETE FROM stream_slot WHERE stream_uuid = ANY (streams)
$$;

GRANT EXECUTE ON FUNCTION stream_issue, stream_issue_for TO surfaced_api;
GRANT EXECUTE ON FUNCTION stream_redeem, stream_keep, stream_check, stream_release TO surfaced_stream;
