-- SPDX-License-Identifier: ISC
-- Browser sessions (C-084 to C-106), their evidence, which is never changed and never deleted, and their playback
-- (C-217 to C-224). functions/session.sql has everything that programs may do with them; one trigger checks every change.

-- One row with the limits that all programs use.
CREATE TABLE session_policy (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	organisation_sessions integer NOT NULL DEFAULT 20 CHECK (organisation_sessions BETWEEN 0 AND 100000),
	caller_sessions integer NOT NULL DEFAULT 5 CHECK (caller_sessions BETWEEN 0 AND 100000),
	lifetime_seconds integer NOT NULL DEFAULT 1800 CHECK (lifetime_seconds BETWEEN 60 AND 86400),
	idle_seconds integer NOT NULL DEFAULT 300 CHECK (idle_seconds BETWEEN 10 AND 86400),
	close_seconds integer NOT NULL DEFAULT 10 CHECK (close_seconds BETWEEN 1 AND 300), -- that a browser has to end
	-- How long a session may wait for a browser while there is a dispatcher.
	queue_seconds integer NOT NULL DEFAULT 1800 CHECK (queue_seconds BETWEEN 10 AND 86400)
);
INSERT INTO session_policy DEFAULT VALUES;
CREATE TRIGGER audit_row AFTER UPDATE ON session_policy FOR EACH ROW EXECUTE FUNCTION audit_row('only_row');

-- The way to a country. credential names a file of surfaced-egress that has the password of the proxy.
CREATE TABLE egress_route (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
	kind text NOT NULL CHECK (kind IN ('direct', 'connect', 'socks5')),
	host text CHECK (host ~ '^[A-Za-z0-9._:-]{1,253}$'),
	port integer CHECK (port BETWEEN 1 AND 65535),
	credential text CHECK (credential ~ '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$'),
	enabled boolean NOT NULL DEFAULT true,
	answered boolean NOT NULL DEFAULT true, -- when it was probed last; true before the first probe
	probed_at timestamptz,
	created_at timestamptz NOT NULL DEFAULT now(),
	-- Set while somebody waits for a probe: the "host:port" to connect to. The other two are the last result.
	probe_target text CHECK (probe_target ~ '^[A-Za-z0-9.-]{1,253}:[0-9]{1,5}$'),
	probe_ms integer,
	probe_why text,
	CHECK ((kind = 'direct') = (host IS NULL)),
	CHECK ((host IS NULL) = (port IS NULL)),
	CHECK (host IS NOT NULL OR credential IS NULL),
	CONSTRAINT egress_route_taken UNIQUE NULLS NOT DISTINCT (country, kind, host, port)
);
CREATE TRIGGER route_probe_wanted AFTER UPDATE ON egress_route FOR EACH ROW
	WHEN (NEW.probe_target IS NOT NULL) EXECUTE FUNCTION route_probe_wanted();

-- A probe changes no route unless its result differs.
CREATE TRIGGER audit_row AFTER INSERT OR DELETE ON egress_route FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

CREATE TRIGGER audit_change AFTER UPDATE ON egress_route FOR EACH ROW
	WHEN ((OLD.country, OLD.kind, OLD.host, OLD.port, OLD.credential, OLD.enabled, OLD.answered)
	    IS DISTINCT FROM (NEW.country, NEW.kind, NEW.host, NEW.port, NEW.credential, NEW.enabled, NEW.answered))
	EXECUTE FUNCTION audit_row('uuid');

-- Machines that run browsers. A host with a fault takes no new session.
CREATE TABLE browser_host (
	name text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 400),
	slots integer NOT NULL CHECK (slots BETWEEN 0 AND 10000),
	fault text CHECK (char_length(fault) <= 1000),
	started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How many sessions are not terminal, closing ones included (C-090). max_active null: session_policy has the limit.
CREATE TABLE session_organisation (
	account_uuid uuid PRIMARY KEY REFERENCES account,
	active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
	max_active integer CHECK (max_active BETWEEN 0 AND 100000)
);
CREATE TRIGGER audit_limit AFTER UPDATE ON session_organisation FOR EACH ROW
	WHEN (OLD.max_active IS DISTINCT FROM NEW.max_active) EXECUTE FUNCTION audit_row('account_uuid');

CREATE TABLE session_caller (
	key_uuid uuid PRIMARY KEY REFERENCES api_key,
	active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
	max_active integer CHECK (max_active BETWEEN 0 AND 100000)
);
CREATE TRIGGER audit_limit AFTER UPDATE ON session_caller FOR EACH ROW
	WHEN (OLD.max_active IS DISTINCT FROM NEW.max_active) EXECUTE FUNCTION audit_row('key_uuid');

-- src/tbl/session_states.h has the same moves; t/house/session-states.t compares them.
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

-- Sessions are never deleted and never change once they are terminal: they outlive keys and members (C-106).
CREATE TABLE browser_session (
	uuid uuid PRIMARY KEY,
	account_uuid uuid NOT NULL,
	project_uuid uuid NOT NULL,
	key_uuid uuid NOT NULL REFERENCES api_key, -- the creating key, to which the session is private
	state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'starting', 'running', 'closing', 'terminal')),
	state_event text NOT NULL DEFAULT 'create',
	terminal_reason text CHECK (terminal_reason IN ('closed_by_creator', 'closed_by_manager', 'expired',
		'idle_timeout', 'failed', 'access_revoked')), -- known as soon as the session begins to close
	-- The canonical form of at most 2048 characters: percent-encoding makes it longer.
	start_url text NOT NULL CHECK (start_url ~ '^https?://' AND char_length(start_url) <= 24832),
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
	-- The lease of a dispatcher: its host, its end, and how often the session has been claimed. Every write for a
	-- runner names the epoch it believes in.
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
CREATE TRIGGER browser_session_edge BEFORE INSERT OR UPDATE ON browser_session
	FOR EACH ROW EXECUTE FUNCTION browser_session_edge();
CREATE TRIGGER audit_row AFTER INSERT ON browser_session FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_move AFTER UPDATE ON browser_session FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION audit_row('uuid', 'state_event');
CREATE TRIGGER metric_create AFTER INSERT ON browser_session FOR EACH ROW EXECUTE FUNCTION metric_session();
CREATE TRIGGER metric_move AFTER UPDATE ON browser_session FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION metric_session();

-- Idempotency-Key (C-085). space is the SHA-256 of credential, project, operation and key; request is that of
-- the normalised request, and resolved that of the request with its defaults filled in.
CREATE TABLE idempotency (
	space bytea PRIMARY KEY CHECK (octet_length(space) = 32),
	request bytea NOT NULL CHECK (octet_length(request) = 32),
	resolved bytea NOT NULL CHECK (octet_length(resolved) = 32),
	session_uuid uuid NOT NULL REFERENCES browser_session DEFERRABLE INITIALLY DEFERRED,
	created_at timestamptz NOT NULL DEFAULT now()
);

-- The members of a new session. The caller chooses the uuid, because two tables need it.
CREATE TYPE session_wanted AS (
	uuid uuid, project_uuid uuid, key_uuid uuid, start_url text, browser_profile text, egress_country text,
	viewport_width integer, viewport_height integer, replayed_from_session_uuid uuid
);

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
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON session_event EXECUTE FUNCTION evidence_stands();

-- An image is a file of evidence_directory, named by its SHA-256. Its row is written after the file.
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
CREATE INDEX screenshot_at ON screenshot (session_uuid, taken_at);
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON screenshot EXECUTE FUNCTION evidence_stands();

-- doc comes from the runner, checked and redacted. The runner chooses uuid, so that a batch which is sent again
-- is not stored twice.
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
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON network_event EXECUTE FUNCTION evidence_stands();

CREATE TABLE session_evidence (
	session_uuid uuid PRIMARY KEY REFERENCES browser_session,
	screenshots integer NOT NULL DEFAULT 0 CHECK (screenshots BETWEEN 0 AND (evidence_most()).screenshots),
	screenshot_bytes bigint NOT NULL DEFAULT 0 CHECK (screenshot_bytes BETWEEN 0 AND (evidence_most()).screenshot_bytes),
	network_events integer NOT NULL DEFAULT 0 CHECK (network_events BETWEEN 0 AND (evidence_most()).network_events),
	network_bytes bigint NOT NULL DEFAULT 0 CHECK (network_bytes BETWEEN 0 AND (evidence_most()).network_bytes),
	network_truncated boolean NOT NULL DEFAULT false, -- events were dropped
	-- The runner numbers the pieces of evidence and sends each until the dispatcher has confirmed it. Everything
	-- of this epoch up to this number is stored or never will be, so that no piece is stored twice.
	logged_epoch bigint NOT NULL DEFAULT 0,
	logged_seq bigint NOT NULL DEFAULT 0 CHECK (logged_seq >= 0)
);

CREATE TYPE screenshot_taken AS (
	uuid uuid, sha256 bytea, bytes bigint, mime text, width integer, height integer, reason text, tab integer,
	url text, title text, taken_at timestamptz
);

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

-- The workers see the columns that a client may see (C-102), and of a route only its country.
GRANT SELECT (uuid, project_uuid, key_uuid, state, terminal_reason, start_url, browser_profile, egress_country,
	viewport_width, viewport_height, replayed_from_session_uuid, created_at, updated_at, last_activity_at,
	ready_at, expires_at, close_requested_at, terminal_at) ON browser_session TO surfaced_api;
GRANT SELECT (country, enabled, answered) ON egress_route TO surfaced_api;
GRANT SELECT ON session_move TO surfaced_api, surfaced_admin;
GRANT USAGE ON TYPE session_wanted TO surfaced_api;
GRANT SELECT ON browser_host, browser_session, egress_route, session_policy, session_organisation, session_caller
	TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON egress_route TO surfaced_admin;
GRANT UPDATE ON session_policy TO surfaced_admin;
GRANT INSERT (account_uuid, max_active), UPDATE (max_active) ON session_organisation TO surfaced_admin;
GRANT INSERT (key_uuid, max_active), UPDATE (max_active) ON session_caller TO surfaced_admin;
GRANT SELECT ON screenshot, network_event, session_evidence TO surfaced_api, surfaced_admin;
GRANT USAGE ON TYPE screenshot_taken TO surfaced_dispatch;
GRANT SELECT ON session_event, session_timeline TO surfaced_api, surfaced_admin;
