-- SPDX-License-Identifier: ISC
-- Detectors (src/tbl/detectors.h): their settings in each project, their pending work, the subjects of their findings,
-- and the tables of three of them: dangling-dns, typosquatting and secrets.

-- A project without a row has the defaults.
CREATE TABLE detector_state (
	project_uuid uuid NOT NULL REFERENCES project,
	detector text NOT NULL CHECK (char_length(detector) BETWEEN 1 AND 50),
	enabled boolean NOT NULL DEFAULT true,
	exclude text NOT NULL DEFAULT '' CHECK (octet_length(exclude) <= 8192), -- a query on findings; '': excludes nothing
	min_severity text NOT NULL DEFAULT 'info' CHECK (min_severity IN ('info', 'low', 'medium', 'high', 'critical')),
	updated_at timestamptz NOT NULL DEFAULT now(), -- of the settings
	-- surfaced-detect writes the rest
	last_pass_at timestamptz,
	looked_at jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(looked_at) = 'object'), -- numbers by what was looked at
	error text CHECK (char_length(error) <= 500), -- of the last look that failed, until all have succeeded
	is_full boolean NOT NULL DEFAULT false, -- the last look left out what is beyond a limit of the project
	PRIMARY KEY (project_uuid, detector)
);
CREATE TRIGGER detector_settings_added AFTER INSERT ON detector_state FOR EACH ROW
	WHEN (NOT NEW.enabled OR NEW.exclude <> '' OR NEW.min_severity <> 'info') EXECUTE FUNCTION detector_settings_changed();
CREATE TRIGGER detector_settings_updated AFTER UPDATE ON detector_state FOR EACH ROW
	WHEN ((NEW.enabled, NEW.exclude, NEW.min_severity) IS DISTINCT FROM (OLD.enabled, OLD.exclude, OLD.min_severity))
	EXECUTE FUNCTION detector_settings_changed();
CREATE TRIGGER audit_detector_added AFTER INSERT ON detector_state FOR EACH ROW
	WHEN (NOT NEW.enabled OR NEW.exclude <> '' OR NEW.min_severity <> 'info') EXECUTE FUNCTION audit_row('detector');
CREATE TRIGGER audit_detector_updated AFTER UPDATE ON detector_state FOR EACH ROW
	WHEN ((NEW.enabled, NEW.exclude, NEW.min_severity) IS DISTINCT FROM (OLD.enabled, OLD.exclude, OLD.min_severity))
	EXECUTE FUNCTION audit_row('detector');

-- Subjects that a detector must look at. Each detector defines its subjects. The frame defines two:
-- '*' is the whole project, and a subject that begins with '=' is a change of the settings.
CREATE TABLE detector_work (
	detector text NOT NULL,
	project_uuid uuid NOT NULL REFERENCES project,
	subject text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 2000),
	due_at timestamptz NOT NULL DEFAULT now(),
	tries integer NOT NULL DEFAULT 0, -- looks that failed
	asked xid8 NOT NULL DEFAULT pg_current_xact_id(), -- a look that read an earlier one does not end the work
	PRIMARY KEY (detector, project_uuid, subject)
);
CREATE INDEX detector_work_due ON detector_work (due_at);
CREATE INDEX detector_work_turn ON detector_work (detector, project_uuid, due_at);

-- The subjects of findings, with which a detector finds the findings of its earlier looks.
CREATE TABLE detector_finding (
	project_uuid uuid NOT NULL,
	detector text NOT NULL,
	subject text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 2000),
	finding_key text NOT NULL,
	PRIMARY KEY (project_uuid, detector, subject, finding_key),
	FOREIGN KEY (project_uuid, finding_key) REFERENCES finding (project_uuid, finding_key) ON DELETE CASCADE
);
CREATE INDEX detector_finding_key ON detector_finding (project_uuid, finding_key);

-- The subjects that the present process looks at, in one row. When a process starts and finds
-- subjects here, its predecessor died with them. They count as failed, so that they cannot end one
-- process after the other.
CREATE TABLE detector_hand (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	detector text NOT NULL,
	project_uuid uuid NOT NULL,
	subjects text[] NOT NULL
);

-- What asks for a look.
CREATE TRIGGER detector_assets_added AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION detector_assets_changed();
CREATE TRIGGER detector_assets_updated AFTER UPDATE ON asset REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION detector_assets_changed();
CREATE TRIGGER detector_entitled AFTER INSERT OR UPDATE ON entitlement FOR EACH ROW WHEN (NEW.name = 'esi')
	EXECUTE FUNCTION detector_entitled();
CREATE TRIGGER detector_verdict AFTER INSERT OR UPDATE OR DELETE ON indicator_verdict FOR EACH ROW
	EXECUTE FUNCTION detector_verdict_changed();

-- ---- dangling-dns (C-169 to C-175) ----

-- The findings with the members of their evidence as columns (src/api/surface/dangling.c).
CREATE VIEW dangling_dns AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       evidence_text(evidence, 'kind') AS kind, evidence_text(evidence, 'host') AS host,
       evidence_text(evidence, 'record_type') AS record_type, evidence_text(evidence, 'target') AS target,
       evidence_objects(evidence, 'chain', '{name,type,rcode,seen_at}', 9) AS chain,
       evidence_text(evidence, 'provider') AS provider, evidence_text(evidence, 'claim') AS claim,
       evidence_text(evidence, 'region') AS region, evidence_text(evidence, 'matched_by') AS matched_by,
       evidence_text(evidence, 'remediation') AS remediation
  FROM finding WHERE finding_type = 'dangling_dns';

-- Suffixes of providers that an import has added to src/tbl/takeover.h.
CREATE TABLE takeover_imported (
	suffix text PRIMARY KEY CHECK (octet_length(suffix) BETWEEN 3 AND 253), -- in lower case
	provider text NOT NULL CHECK (char_length(provider) BETWEEN 1 AND 200),
	mode text NOT NULL CHECK (mode IN ('nxdomain', 'page')),
	claim text NOT NULL CHECK (claim IN ('open', 'disputed', 'closed')),
	page text CHECK (char_length(page) BETWEEN 1 AND 1000) -- a text of the page for unclaimed names
);
CREATE TRIGGER takeover_changed AFTER INSERT OR UPDATE OR DELETE ON takeover_imported FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_providers_changed();

-- The address ranges that cloud providers publish.
CREATE TABLE cloud_prefix (
	provider text NOT NULL CHECK (char_length(provider) BETWEEN 1 AND 200),
	prefix cidr NOT NULL,
	region text CHECK (char_length(region) BETWEEN 1 AND 200),
	service text CHECK (char_length(service) BETWEEN 1 AND 200),
	shared boolean NOT NULL DEFAULT false, -- it serves all customers, such as a CDN: its addresses are nobody's
	PRIMARY KEY (provider, prefix)
);
CREATE INDEX cloud_prefix_contains ON cloud_prefix USING gist (prefix inet_ops);
CREATE TRIGGER cloud_changed AFTER INSERT OR UPDATE OR DELETE ON cloud_prefix FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_providers_changed();

-- What asks for a look of the detector dangling-dns.
CREATE TRIGGER dangling_assets_added AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_assets_changed();
CREATE TRIGGER dangling_assets_updated AFTER UPDATE ON asset REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION dangling_assets_changed();

-- ---- typosquatting (C-177 to C-183) ----

CREATE TABLE watched_domain (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	domain text NOT NULL CHECK (octet_length(domain) BETWEEN 3 AND 253), -- registrable, in A-labels
	words text[] NOT NULL DEFAULT '{}' CHECK (cardinality(words) <= 32 AND array_position(words, NULL) IS NULL),
	allow text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allow) <= 1000 AND array_position(allow, NULL) IS NULL),
	min_score integer CHECK (min_score BETWEEN 0 AND 100), -- null: watched_min_score()
	enabled boolean NOT NULL DEFAULT true,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	UNIQUE (project_uuid, domain)
);
CREATE INDEX watched_domain_page ON watched_domain (project_uuid, created_at DESC, uuid);
CREATE TRIGGER audit_watched_domain AFTER INSERT OR UPDATE OR DELETE ON watched_domain FOR EACH ROW
	EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER watched_domain_changed AFTER INSERT OR UPDATE OR DELETE ON watched_domain FOR EACH ROW
	EXECUTE FUNCTION watched_domain_changed();

-- The names that were looked at for a watched domain, with the newest certificate that contains the
-- name. Names below the threshold are kept for 30 days.
CREATE TABLE lookalike_candidate (
	watched_uuid uuid NOT NULL REFERENCES watched_domain ON DELETE CASCADE,
	found text NOT NULL CHECK (octet_length(found) <= 253),
	class text NOT NULL,
	score integer NOT NULL CHECK (score BETWEEN 0 AND 100),
	reported boolean NOT NULL, -- it has reached the threshold, and is a finding
	certificate_sha256 text,
	certificate_at timestamptz,      -- its not_before
	certificate_seen_at timestamptz, -- when a source last saw it
	certificate_shared boolean NOT NULL DEFAULT false, -- it has the watched domain, too
	looked_at timestamptz NOT NULL DEFAULT now(),
	certificate_first_seen_at timestamptz, -- when a source first saw it; its not_before may be any time
	PRIMARY KEY (watched_uuid, found)
);
CREATE INDEX lookalike_candidate_old ON lookalike_candidate (looked_at) WHERE NOT reported;

-- Lists that surfacectl imports.
CREATE TABLE domain_ranking_list (
	name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 200),
	imported_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER domain_ranking_changed AFTER INSERT ON domain_ranking_list FOR EACH STATEMENT
	EXECUTE FUNCTION domain_lists_changed();

CREATE TABLE domain_ranking (
	list text NOT NULL REFERENCES domain_ranking_list ON DELETE CASCADE,
	domain text NOT NULL CHECK (octet_length(domain) BETWEEN 1 AND 253),
	rank integer NOT NULL CHECK (rank > 0),
	PRIMARY KEY (domain, list)
);

CREATE TABLE parked_name_server (
	name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 253), -- or a domain, for all names below it
	imported_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER parked_name_server_changed AFTER INSERT ON parked_name_server FOR EACH STATEMENT
	EXECUTE FUNCTION domain_lists_changed();

-- The findings with the members of their evidence as columns (src/api/surface/typosquatting.c).
CREATE VIEW typosquatting AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       evidence_text(evidence, 'class') AS kind, evidence_text(evidence, 'class') AS class,
       evidence_text(evidence, 'watched') AS watched, evidence_text(evidence, 'found') AS found,
       evidence_text(evidence, 'found_unicode') AS found_unicode, evidence_text(evidence, 'edit') AS edit,
       evidence_integer(evidence, 'score', 0, 100) AS score,
       coalesce((SELECT json_agg(json_build_object('code', evidence_text(r, 'code'), 'weight',
		evidence_integer(r, 'weight', -1000, 1000)) ORDER BY n) FROM jsonb_array_elements(
		CASE jsonb_typeof(evidence -> 'reasons') WHEN 'array' THEN evidence -> 'reasons' ELSE '[]' END)
		WITH ORDINALITY AS e (r, n) WHERE jsonb_typeof(r) = 'object' AND n <= 32), '[]') AS reasons,
       evidence_time(evidence, 'registered_at') AS registered_at, evidence_text(evidence, 'registrar') AS registrar,
       evidence_texts(evidence, 'addresses', 16) AS addresses, evidence_texts(evidence, 'mail_exchangers', 16) AS mail_exchangers,
       evidence_text(evidence, 'certificate_sha256') AS certificate_sha256,
       evidence_time(evidence, 'last_resolved_at') AS last_resolved_at
  FROM finding WHERE finding_type = 'typosquatting';

-- ---- secrets (C-186, C-187): no table contains a secret, or a hash of one that can be computed without the key in fingerprint_file
-- (src/secret/fingerprint.h) ----

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
	truncated boolean NOT NULL DEFAULT false, -- it has more secrets than are looked for
	captured_at timestamptz NOT NULL,
	-- Whose page of an unclaimed name it may be. A page may fit several providers, since stores with the API of S3 answer
	-- unclaimed names with one text; the alias of the host decides (src/detection/dangling.c).
	takeover_providers text[] NOT NULL DEFAULT '{}',
	UNIQUE (project_uuid, url)
);
CREATE INDEX capture_hostname ON capture (hostname);
CREATE TRIGGER capture_added AFTER INSERT ON capture REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION secrets_captured();
CREATE TRIGGER capture_changed AFTER UPDATE ON capture REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION secrets_captured();

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
CREATE INDEX secret_seen_at ON secret_seen (seen_at);

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

-- Old notes and places of secrets are deleted (secret_keep).
CREATE INDEX secret_place_gone ON secret_place (gone_at) WHERE gone_at IS NOT NULL;

-- The findings with the members of their evidence as columns (src/api/surface/secret.c).
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

GRANT SELECT, INSERT (project_uuid, detector, enabled, exclude, min_severity), UPDATE (enabled, exclude,
	min_severity, updated_at) ON detector_state TO surfaced_api;
GRANT SELECT ON detector_state, detector_work, detector_finding TO surfaced_admin;
GRANT SELECT ON dangling_dns TO surfaced_api, surfaced_admin;
GRANT SELECT ON takeover_imported, cloud_prefix TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON takeover_imported, cloud_prefix TO surfaced_admin;
GRANT SELECT ON typosquatting TO surfaced_api, surfaced_admin;
GRANT SELECT ON watched_domain, lookalike_candidate, domain_ranking_list, domain_ranking, parked_name_server
	TO surfaced_api, surfaced_admin;
GRANT INSERT (project_uuid, domain, words, allow, min_score, enabled), UPDATE (words, allow, min_score, enabled,
	updated_at), DELETE ON watched_domain TO surfaced_api;
GRANT INSERT, DELETE, UPDATE ON domain_ranking_list, domain_ranking, parked_name_server TO surfaced_admin;
GRANT SELECT ON secrets TO surfaced_api, surfaced_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON secret_key, capture, secret_seen TO surfaced_admin;
GRANT SELECT ON secret_place TO surfaced_admin;
