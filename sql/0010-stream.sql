-- SPDX-License-Identifier: ISC
-- The live stream: SPEC 4.6, CONTRACT A4, C-107 to C-114. A ticket is used once and a session has one
-- controlling stream: both are decided here, by one statement of surfaced-stream.

-- What was signed and given out. The row is what makes it single-use; without one no signature is worth
-- anything. Rows go some time after they can no longer be used.
CREATE TABLE stream_ticket (
	jti uuid PRIMARY KEY,
	account_uuid uuid NOT NULL REFERENCES account,
	session_uuid uuid NOT NULL REFERENCES browser_session,
	key_uuid uuid NOT NULL REFERENCES api_key,
	created_at timestamptz NOT NULL DEFAULT now(),
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + interval '60 s'),
	used_at timestamptz,
	outcome text CHECK (outcome IN ('ok', 'active', 'not_ready', 'terminal', 'revoked')),
	CHECK ((used_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX stream_ticket_expires ON stream_ticket (expires_at);

-- A process of surfaced-stream. Its streams live as long as its lease does: one row to renew, however many
-- streams there are.
CREATE TABLE stream_proxy (
	uuid uuid PRIMARY KEY,
	started_at timestamptz NOT NULL DEFAULT now(),
	lease_until timestamptz NOT NULL
);

-- The one controlling stream of a session.
CREATE TABLE stream_slot (
	session_uuid uuid PRIMARY KEY REFERENCES browser_session,
	stream_uuid uuid NOT NULL UNIQUE,
	proxy_uuid uuid NOT NULL REFERENCES stream_proxy ON DELETE CASCADE,
	taken_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX stream_slot_proxy ON stream_slot (proxy_uuid);

-- Whether the creating key may still do what its streams do: ownership is the session's own key_uuid, which
-- never changes; the rest is asked again and again (C-113).
CREATE VIEW stream_right AS
	SELECT s.uuid AS session_uuid, s.state, s.lease_epoch,
		k.revoked_at IS NULL AND coalesce(k.expires_at > clock_timestamp(), true) AND m.removed_at IS NULL
		AND a.state = 'active' AND 'browser.sessions.create' = ANY (k.scopes)
		AND EXISTS (SELECT FROM account_scope c WHERE c.account_uuid = a.uuid AND c.scope = 'browser.sessions.create')
		AND EXISTS (SELECT FROM entitlement e WHERE e.account_uuid = a.uuid AND e.name = 'browser'
			AND coalesce(e.expires_at > clock_timestamp(), true))
		AND EXISTS (SELECT FROM visible_projects(k.uuid) p WHERE p.uuid = s.project_uuid) AS may
	  FROM browser_session s JOIN api_key k ON k.uuid = s.key_uuid JOIN member m ON m.uuid = k.owner_uuid
	  JOIN account a ON a.uuid = k.account_uuid;

-- outcome: ok; not_ready, terminal: the session has no stream yet, or none any more. Who may ask is the
-- worker's to know, but for the creator, who alone gets one.
CREATE FUNCTION stream_issue(jti uuid, session uuid, caller uuid, seconds integer,
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

-- Uses a ticket. outcome: ok, with the epoch of the session's runner; invalid: it was used, has run out or
-- never was; key: an API key was sent that is not the creating one, and the ticket is not used; otherwise
-- it is used up, and why there is no stream.
CREATE FUNCTION stream_redeem(ticket uuid, session uuid, sent bytea, stream uuid, proxy uuid, lease integer,
	request_id text, OUT outcome text, OUT epoch bigint) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	r stream_right;
	k api_key;
BEGIN
	epoch := 0;
	SELECT key.* INTO k FROM browser_session s JOIN api_key key ON key.uuid = s.key_uuid WHERE s.uuid = session;
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
	outcome := CASE WHEN NOT r.may THEN 'revoked' WHEN r.state = 'running' THEN 'ok'
		WHEN r.state IN ('queued', 'starting') THEN 'not_ready' ELSE 'terminal' END;
	IF outcome = 'ok' THEN
		INSERT INTO stream_proxy (uuid, lease_until) VALUES (proxy, clock_timestamp() + make_interval(secs => lease))
		    ON CONFLICT (uuid) DO UPDATE SET lease_until = excluded.lease_until;
		INSERT INTO stream_slot AS o (session_uuid, stream_uuid, proxy_uuid) VALUES (session, stream, proxy)
		    ON CONFLICT (session_uuid) DO UPDATE SET stream_uuid = excluded.stream_uuid,
			proxy_uuid = excluded.proxy_uuid, taken_at = now()
		    WHERE NOT EXISTS (SELECT FROM stream_proxy p WHERE p.uuid = o.proxy_uuid AND p.lease_until > clock_timestamp());
		IF NOT FOUND THEN
			outcome := 'active';
		END IF;
		epoch := r.lease_epoch;
	END IF;
	PERFORM set_config('surfaced.actor', 'key:' || k.prefix, true), set_config('surfaced.request_id', request_id, true);
	UPDATE stream_ticket t SET used_at = clock_timestamp(), outcome = stream_redeem.outcome WHERE t.jti = ticket;
END
$$;

-- The proxy lives; those of dead do not, as the kernel knows. What nobody can use any more goes.
CREATE FUNCTION stream_keep(proxy uuid, lease integer, dead uuid[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO stream_proxy (uuid, lease_until) VALUES (proxy, clock_timestamp() + make_interval(secs => lease))
	    ON CONFLICT (uuid) DO UPDATE SET lease_until = excluded.lease_until;
	DELETE FROM stream_proxy p WHERE p.uuid <> proxy
	   AND (p.uuid = ANY (dead) OR p.lease_until < clock_timestamp() - interval '10 min');
	DELETE FROM stream_ticket t WHERE t.expires_at < clock_timestamp() - interval '10 min';
$$;

-- All streams of a proxy in one statement: what holds of each now. One that is closing is its runner's to end.
CREATE FUNCTION stream_check(proxy uuid) RETURNS TABLE (stream uuid, standing text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT o.stream_uuid, CASE WHEN r.state = 'terminal' THEN 'terminal' WHEN NOT r.may THEN 'revoked'
		WHEN r.state IN ('running', 'closing') THEN 'ok' ELSE 'not_ready' END
	  FROM stream_slot o JOIN stream_right r USING (session_uuid) WHERE o.proxy_uuid = proxy
$$;

CREATE FUNCTION stream_release(streams uuid[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	DELETE FROM stream_slot WHERE stream_uuid = ANY (streams)
$$;

CREATE TRIGGER audit_row AFTER INSERT ON stream_ticket FOR EACH ROW EXECUTE FUNCTION audit_row('jti');
CREATE TRIGGER audit_use AFTER UPDATE ON stream_ticket FOR EACH ROW
	WHEN (NEW.outcome IS NOT NULL) EXECUTE FUNCTION audit_row('jti', 'outcome');

GRANT EXECUTE ON FUNCTION stream_issue TO surfaced_api;
GRANT EXECUTE ON FUNCTION stream_redeem, stream_keep, stream_check, stream_release TO surfaced_stream;
GRANT SELECT ON stream_slot, stream_proxy TO surfaced_admin;
