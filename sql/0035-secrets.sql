-- SPDX-License-Identifier: ISC
-- Tables of the detector secrets (C-186, C-187). No table contains a secret, or a hash of one that
-- can be computed without the key in fingerprint_file (see src/secret/fingerprint.h).

-- The ids of the keys with which fingerprints were made. A new key changes all fingerprints
-- (surfacectl doctor).
CREATE TABLE secret_key (
	id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
	used_at timestamptz NOT NULL DEFAULT now() -- since when
);

-- Captured web pages, one row for each URL. Their bodies are not stored.
CREATE TABLE capture (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	url text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048), -- without secrets
	hostname text NOT NULL CHECK (octet_length(hostname) BETWEEN 1 AND 255), -- a name in lower case, or an address
	status integer CHECK (status BETWEEN 0 AND 999),
	title text CHECK (octet_length(title) <= 1024),
	body_sha256 bytea CHECK (octet_length(body_sha256) = 32), -- null: there is none, or the body has a secret
	takeover_provider text, -- whose page of an unclaimed name it is
	truncated boolean NOT NULL DEFAULT false, -- it has more secrets than are looked for
	captured_at timestamptz NOT NULL,
	UNIQUE (project_uuid, url)
);
CREATE INDEX capture_hostname ON capture (hostname);

-- Notes of the secrets that imports have masked, for surfaced-detect.
CREATE TABLE secret_seen (
	place text NOT NULL, -- the address of a host, or "page" and the UUID of a capture
	part text NOT NULL,  -- "443/tcp/banner" or "body"
	item integer NOT NULL,
	key_id text NOT NULL,
	pad text NOT NULL,   -- by which the note is padded
	note text NOT NULL CHECK (note ~ '^[0-9a-f]{64}$'),
	secret_type text NOT NULL,
	provider text,
	preview text NOT NULL,
	length bigint NOT NULL,
	line bigint NOT NULL,
	"offset" bigint NOT NULL,
	key_name text,
	severity text NOT NULL,
	valid boolean NOT NULL,
	seen_at timestamptz NOT NULL,
	PRIMARY KEY (place, part, item)
);

-- The places of secrets in each project. A finding is made from all places of a secret.
CREATE TABLE secret_place (
	project_uuid uuid NOT NULL REFERENCES project,
	subject text NOT NULL, -- of the detector
	part text NOT NULL,
	item integer NOT NULL,
	secret_type text NOT NULL,
	fingerprint text NOT NULL,
	about jsonb NOT NULL, -- the secret as it was seen there
	location jsonb NOT NULL,
	first_seen_at timestamptz NOT NULL,
	last_seen_at timestamptz NOT NULL,
	gone_at timestamptz, -- newer data without it
	PRIMARY KEY (project_uuid, subject, part, item, fingerprint)
);
CREATE INDEX secret_place_fingerprint ON secret_place (project_uuid, secret_type, fingerprint);

-- The findings with the members of their evidence as columns (src/api/secret.c).
CREATE VIEW secrets AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       finding_type AS kind, evidence_text(evidence, 'secret_type') AS secret_type,
       evidence_text(evidence, 'provider') AS provider, evidence_text(evidence, 'fingerprint') AS fingerprint,
       evidence_text(evidence, 'preview') AS preview, evidence_integer(evidence, 'length', 0, 1048576) AS length,
       evidence_text(evidence, 'check') AS "check", evidence_text(evidence, 'key_name') AS key_name,
       secret_location(evidence -> 'location') AS location, secret_locations(evidence) AS locations,
       evidence_integer(evidence, 'occurrences', 0, 9007199254740991) AS occurrences,
       evidence_text(evidence, 'file_name') AS file_name, evidence_text(evidence, 'url') AS url,
       evidence_integer(evidence, 'size', 0, 9007199254740991) AS size,
       evidence_text(evidence, 'matched_by') AS matched_by, evidence_text(evidence, 'remediation') AS remediation
  FROM finding WHERE finding_type IN ('exposed_secret', 'sensitive_file');

GRANT SELECT ON secrets TO surfaced_api, surfaced_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON secret_key, capture, secret_seen TO surfaced_admin;
GRANT SELECT ON secret_place TO surfaced_admin;

CREATE TRIGGER capture_added AFTER INSERT ON capture REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION secrets_captured();
CREATE TRIGGER capture_changed AFTER UPDATE ON capture REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION secrets_captured();

-- Asks for a look at all existing data.
SELECT detector_ask_all('secrets', NULL);
