-- SPDX-License-Identifier: ISC
-- Evidence of browser sessions: screenshots and network events. It is never changed and never deleted, and
-- bounded when it is written (C-106).

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
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON screenshot EXECUTE FUNCTION evidence_stands();
CREATE TRIGGER evidence_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON network_event EXECUTE FUNCTION evidence_stands();

CREATE TYPE screenshot_taken AS (
	uuid uuid, sha256 bytea, bytes bigint, mime text, width integer, height integer, reason text, tab integer,
	url text, title text, taken_at timestamptz
);

GRANT SELECT ON screenshot, network_event, session_evidence TO surfaced_api, surfaced_admin;
GRANT USAGE ON TYPE screenshot_taken TO surfaced_dispatch;
