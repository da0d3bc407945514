-- SPDX-License-Identifier: ISC
-- Browser sessions: SPEC 2.5, 3, 4.4, 4.5, CONTRACT A4, C-084 to C-106. The workers create and close; the
-- dispatcher does the rest. Nobody writes a state but the functions here, and one trigger sees every change.

-- One row: what all programs that touch sessions go by.
CREATE TABLE session_policy (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	organisation_sessions integer NOT NULL DEFAULT 20 CHECK (organisation_sessions BETWEEN 0 AND 100000),
	caller_sessions integer NOT NULL DEFAULT 5 CHECK (caller_sessions BETWEEN 0 AND 100000),
	lifetime_seconds integer NOT NULL DEFAULT 1800 CHECK (lifetime_seconds BETWEEN 60 AND 86400),
	idle_seconds integer NOT NULL DEFAULT 300 CHECK (idle_seconds BETWEEN 10 AND 86400),
	close_seconds integer NOT NULL DEFAULT 10 CHECK (close_seconds BETWEEN 1 AND 300) -- given to a browser to end
);
INSERT INTO session_policy DEFAULT VALUES;

-- How a country is reached. The secret of a route is a file of surfaced-egress, which this names.
CREATE TABLE egress_route (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
	kind text NOT NULL CHECK (kind IN ('direct', 'connect', 'socks5')),
	host text CHECK (host ~ '^[A-Za-z0-9._:-]{1,253}$'),
	port integer CHECK (port BETWEEN 1 AND 65535),
	credential text CHECK (credential ~ '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$'),
	enabled boolean NOT NULL DEFAULT true,
	answered boolean NOT NULL DEFAULT true, -- when last probed; until then it is believed
	probed_at timestamptz,
	created_at timestamptz NOT NULL DEFAULT now(),
	CHECK ((kind = 'direct') = (host IS NULL)),
	CHECK ((host IS NULL) = (port IS NULL)),
	CHECK (host IS NOT NULL OR credential IS NULL),
	CONSTRAINT egress_route_taken UNIQUE NULLS NOT DISTINCT (country, kind, host, port)
);

-- Sessions that are not terminal, closing ones among them (C-090). max_active null: the policy's.
CREATE TABLE session_organisation (
	account_uuid uuid PRIMARY KEY REFERENCES account,
	active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
	max_active integer CHECK (max_active BETWEEN 0 AND 100000)
);
CREATE TABLE session_caller (
	key_uuid uuid PRIMARY KEY REFERENCES api_key,
	active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
	max_active integer CHECK (max_active BETWEEN 0 AND 100000)
);

-- The moves of src/tbl/session_states.h; t/house/session-states.t holds them equal.
CREATE TABLE session_move (
	event text NOT NULL,
	from_state text NOT NULL,
	to_state text NOT NULL,
	PRIMARY KEY (event, from_state)
);
INSERT INTO session_move VALUES
	('claim', 'queued', 'starting'),
	('requeue', 'starting', 'queued'),
	('ready', 'starting', 'running'),
	('close', 'queued', 'closing'),
	('close', 'starting', 'closing'),
	('close', 'running', 'closing'),
	('revoke', 'queued', 'closing'),
	('revoke', 'starting', 'closing'),
	('revoke', 'running', 'closing'),
	('expire', 'running', 'closing'),
	('idle', 'running', 'closing'),
	('fail', 'queued', 'terminal'),
	('fail', 'starting', 'terminal'),
	('fail', 'running', 'terminal'),
	('end', 'closing', 'terminal');

-- Never deleted, and unchanged once terminal: they outlive keys and members (C-106).
CREATE TABLE browser_session (
	uuid uuid PRIMARY KEY,
	account_uuid uuid NOT NULL,
	project_uuid uuid NOT NULL,
	key_uuid uuid NOT NULL REFERENCES api_key, -- the creating credential, to which all is private
	state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'starting', 'running', 'closing', 'terminal')),
	state_event text NOT NULL DEFAULT 'create',
	terminal_reason text CHECK (terminal_reason IN ('closed_by_creator', 'closed_by_manager', 'expired',
		'idle_timeout', 'failed', 'access_revoked')), -- known from the moment it begins to close
	start_url text NOT NULL CHECK (start_url ~ '^https?://' AND char_length(start_url) <= 2048),
	browser_profile text NOT NULL CHECK (browser_profile IN ('windows', 'macos', 'linux')),
	egress_country text NOT NULL CHECK (egress_country ~ '^[A-Z]{2}$'),
	viewport_width integer NOT NULL CHECK (viewport_width BETWEEN 320 AND 3840),
	viewport_height integer NOT NULL CHECK (viewport_height BETWEEN 240 AND 2160),
	replayed_from_session_uuid uuid REFERENCES browser_session,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	last_activity_at timestamptz,
	ready_at timestamptz,
	expires_at timestamptz,
	close_requested_at timestamptz,
	terminal_at timestamptz,
	-- The dispatcher's: who holds it, until when, and which of its lives this is. Every write of a runner's
	-- side says the epoch it believes in.
	host text,
	route_uuid uuid REFERENCES egress_route,
	lease_epoch bigint NOT NULL DEFAULT 0 CHECK (lease_epoch >= 0),
	lease_until timestamptz,
	starts integer NOT NULL DEFAULT 0 CHECK (starts >= 0),
	CHECK ((state = 'terminal') = (terminal_at IS NOT NULL)),
	CHECK ((state IN ('closing', 'terminal')) = (terminal_reason IS NOT NULL)),
	CHECK ((state NOT IN ('starting', 'running')) OR lease_until IS NOT NULL),
	CHECK (state <> 'running' OR (ready_at IS NOT NULL AND expires_at IS NOT NULL)),
	FOREIGN KEY (account_uuid, project_uuid) REFERENCES project (account_uuid, uuid)
);
CREATE INDEX browser_session_page ON browser_session (project_uuid, created_at DESC, uuid);
CREATE INDEX browser_session_own ON browser_session (project_uuid, key_uuid, created_at DESC, uuid);
CREATE INDEX browser_session_queue ON browser_session (created_at) WHERE state = 'queued';
CREATE INDEX browser_session_live ON browser_session (account_uuid, key_uuid) WHERE state <> 'terminal';
CREATE INDEX browser_session_lease ON browser_session (lease_until) WHERE state IN ('starting', 'running', 'closing');

-- Idempotency-Key (C-085): space is SHA-256 of credential, project, operation and the key; request is of
-- the normalised request as it was made, resolved with its defaults filled in.
CREATE TABLE idempotency (
	space bytea PRIMARY KEY CHECK (octet_length(space) = 32),
	request bytea NOT NULL CHECK (octet_length(request) = 32),
	resolved bytea NOT NULL CHECK (octet_length(resolved) = 32),
	session_uuid uuid NOT NULL REFERENCES browser_session DEFERRABLE INITIALLY DEFERRED,
	created_at timestamptz NOT NULL DEFAULT now()
);

-- One more of both counters, organisation before caller everywhere, or SL001 with the one that is full.
CREATE FUNCTION session_admit(account uuid, caller uuid) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE FUNCTION session_leave(account uuid, caller uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE session_organisation SET active = active - 1 WHERE account_uuid = account;
	UPDATE session_caller SET active = active - 1 WHERE key_uuid = caller;
END
$$;

-- Checks the edge, sets its times, keeps the counters, wakes the dispatcher. As owner, whoever writes.
CREATE FUNCTION browser_session_edge() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.state <> 'queued' THEN
			RAISE EXCEPTION 'a session begins queued';
		END IF;
		PERFORM session_admit(NEW.account_uuid, NEW.key_uuid);
		NOTIFY session_changed;
		RETURN NEW;
	END IF;
	IF OLD.state = 'terminal' THEN
		RAISE EXCEPTION 'a terminal session is unchanged';
	END IF;
	IF (NEW.uuid, NEW.account_uuid, NEW.project_uuid, NEW.key_uuid, NEW.start_url, NEW.browser_profile,
	    NEW.egress_country, NEW.viewport_width, NEW.viewport_height, NEW.replayed_from_session_uuid, NEW.created_at)
	    IS DISTINCT FROM (OLD.uuid, OLD.account_uuid, OLD.project_uuid, OLD.key_uuid, OLD.start_url,
	    OLD.browser_profile, OLD.egress_country, OLD.viewport_width, OLD.viewport_height,
	    OLD.replayed_from_session_uuid, OLD.created_at)
	    OR NEW.lease_epoch < OLD.lease_epoch THEN
		RAISE EXCEPTION 'what a session was created with stays';
	END IF;
	IF NEW.state = OLD.state THEN
		RETURN NEW; -- a lease or an activity: nothing that its metadata calls an update
	END IF;
	IF NOT EXISTS (SELECT FROM session_move WHERE event = NEW.state_event AND from_state = OLD.state
	    AND to_state = NEW.state) THEN
		RAISE EXCEPTION 'a session does not go from % to % by %', OLD.state, NEW.state, NEW.state_event;
	END IF;
	NEW.updated_at := clock_timestamp();
	IF NEW.state = 'running' THEN
		NEW.ready_at := NEW.updated_at;
		NEW.expires_at := NEW.updated_at + make_interval(secs => (SELECT lifetime_seconds FROM session_policy));
	ELSIF NEW.state = 'terminal' THEN
		NEW.terminal_at := NEW.updated_at;
		NEW.lease_until := NULL;
		PERFORM session_leave(OLD.account_uuid, OLD.key_uuid);
	ELSIF NEW.state = 'queued' THEN
		NEW.lease_until := NULL;
	END IF;
	IF NEW.state_event = 'close' THEN
		NEW.close_requested_at := NEW.updated_at;
	END IF;
	NOTIFY session_changed;
	RETURN NEW;
END
$$;
CREATE TRIGGER browser_session_edge BEFORE INSERT OR UPDATE ON browser_session
	FOR EACH ROW EXECUTE FUNCTION browser_session_edge();

-- The one way to another state. True: it moved. The row is locked first, so that an event that is possible
-- from where another has just brought it is not lost.
CREATE FUNCTION session_apply(session uuid, what text, reason text DEFAULT NULL, epoch bigint DEFAULT NULL)
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

-- What the workers may do: close. Who may is theirs to know; again, it changes nothing (C-103).
CREATE FUNCTION session_close(session uuid, by_creator boolean) RETURNS boolean LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT session_apply(session, 'close', CASE WHEN by_creator THEN 'closed_by_creator' ELSE 'closed_by_manager' END)
$$;

-- Seconds until a place is free if nobody takes it: of the caller, or of the whole organisation. A session
-- that runs ends by its time at the latest; one that has not begun may take a whole life.
CREATE FUNCTION session_wait(account uuid, caller uuid) RETURNS integer LANGUAGE sql STABLE AS $$
	SELECT greatest(1, ceil(coalesce(min(CASE s.state
			WHEN 'running' THEN extract(epoch FROM s.expires_at - clock_timestamp()) + p.close_seconds
			WHEN 'closing' THEN p.close_seconds
			ELSE p.lifetime_seconds END), p.lifetime_seconds)))::integer
	  FROM session_policy p
	  LEFT JOIN browser_session s ON s.state <> 'terminal' AND s.account_uuid = account
	       AND (caller IS NULL OR s.key_uuid = caller)
	 GROUP BY p.lifetime_seconds
$$;

-- What a creation says; the uuid is the caller's choice, because two tables need it.
CREATE TYPE session_wanted AS (
	uuid uuid, project_uuid uuid, key_uuid uuid, start_url text, browser_profile text, egress_country text,
	viewport_width integer, viewport_height integer, replayed_from_session_uuid uuid
);

-- outcome: created; repeated, with the session of the first time; conflict: the same Idempotency-Key was
-- used for something else; organisation_limit, caller_limit: with the wait, and nothing is left behind.
-- The key is taken before anything else, which waits for a twin that is under way (C-088, C-089).
CREATE FUNCTION session_create(w session_wanted, space bytea, request bytea, resolved bytea)
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

-- Whether this Idempotency-Key was used: such a request is answered without being admitted again.
CREATE FUNCTION idempotency_used(space bytea) RETURNS boolean LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT EXISTS (SELECT FROM idempotency i WHERE i.space = idempotency_used.space)
$$;

-- What one key is held to; shown and enforced from the same rows.
CREATE FUNCTION session_limits(caller uuid, OUT organisation_sessions integer, OUT caller_sessions integer,
	OUT lifetime_seconds integer, OUT idle_seconds integer) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT coalesce(o.max_active, p.organisation_sessions), coalesce(c.max_active, p.caller_sessions),
		p.lifetime_seconds, p.idle_seconds
	  FROM session_policy p JOIN api_key k ON k.uuid = caller
	  LEFT JOIN session_organisation o ON o.account_uuid = k.account_uuid
	  LEFT JOIN session_caller c ON c.key_uuid = k.uuid
$$;

CREATE TRIGGER audit_row AFTER INSERT ON browser_session FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_move AFTER UPDATE ON browser_session FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION audit_row('uuid', 'state_event');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON egress_route FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER UPDATE ON session_policy FOR EACH ROW EXECUTE FUNCTION audit_row('only_row');
CREATE TRIGGER audit_limit AFTER UPDATE ON session_organisation FOR EACH ROW
	WHEN (OLD.max_active IS DISTINCT FROM NEW.max_active) EXECUTE FUNCTION audit_row('account_uuid');
CREATE TRIGGER audit_limit AFTER UPDATE ON session_caller FOR EACH ROW
	WHEN (OLD.max_active IS DISTINCT FROM NEW.max_active) EXECUTE FUNCTION audit_row('key_uuid');

-- The workers see what a client may (C-102), and routes by their countries alone.
GRANT SELECT (uuid, project_uuid, key_uuid, state, terminal_reason, start_url, browser_profile, egress_country,
	viewport_width, viewport_height, replayed_from_session_uuid, created_at, updated_at, last_activity_at, ready_at,
	expires_at, close_requested_at, terminal_at) ON browser_session TO surfaced_api;
GRANT SELECT (country, enabled, answered) ON egress_route TO surfaced_api;
GRANT SELECT ON session_move TO surfaced_api, surfaced_admin;
GRANT USAGE ON TYPE session_wanted TO surfaced_api;
GRANT EXECUTE ON FUNCTION session_create, session_close, session_limits, idempotency_used TO surfaced_api;
GRANT SELECT ON browser_session, egress_route, session_policy, session_organisation, session_caller TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON egress_route TO surfaced_admin;
GRANT UPDATE ON session_policy TO surfaced_admin;
GRANT INSERT (account_uuid, max_active), UPDATE (max_active) ON session_organisation TO surfaced_admin;
GRANT INSERT (key_uuid, max_active), UPDATE (max_active) ON session_caller TO surfaced_admin;
GRANT EXECUTE ON FUNCTION session_limits, session_close TO surfaced_admin;
