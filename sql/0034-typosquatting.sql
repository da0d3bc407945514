-- SPDX-License-Identifier: ISC
-- Tables of the detector typosquatting (C-177 to C-183).

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
	PRIMARY KEY (watched_uuid, found)
);
CREATE INDEX lookalike_candidate_old ON lookalike_candidate (looked_at) WHERE NOT reported;

-- Lists that surfacectl imports.
CREATE TABLE domain_ranking_list (
	name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 200),
	imported_at timestamptz NOT NULL DEFAULT now()
);
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

CREATE TRIGGER domain_ranking_changed AFTER INSERT ON domain_ranking_list FOR EACH STATEMENT
	EXECUTE FUNCTION domain_lists_changed();
CREATE TRIGGER parked_name_server_changed AFTER INSERT ON parked_name_server FOR EACH STATEMENT
	EXECUTE FUNCTION domain_lists_changed();

-- The findings with the members of their evidence as columns (src/api/typosquatting.c).
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

GRANT SELECT ON typosquatting TO surfaced_api, surfaced_admin;
GRANT SELECT ON watched_domain, lookalike_candidate, domain_ranking_list, domain_ranking, parked_name_server
	TO surfaced_api, surfaced_admin;
GRANT INSERT (project_uuid, domain, words, allow, min_score, enabled),
	UPDATE (words, allow, min_score, enabled, updated_at), DELETE ON watched_domain TO surfaced_api;
GRANT INSERT, DELETE, UPDATE ON domain_ranking_list, domain_ranking, parked_name_server TO surfaced_admin;

-- Asks for a look at all existing data.
SELECT detector_ask_all('typosquatting', NULL);
