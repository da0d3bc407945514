-- SPDX-License-Identifier: ISC
-- Detection rules: queries with a severity, samples and states, and what each account sets beside them.

-- src/tbl/rule_moves.h has the same moves; t/house/states.t compares them.
CREATE TABLE rule_move (
	event text NOT NULL,
	from_status text NOT NULL,
	to_status text NOT NULL,
	PRIMARY KEY (event, from_status)
);
INSERT INTO rule_move VALUES
	('stage', 'draft', 'testing'),
	('publish', 'testing', 'stable'),
	('deprecate', 'testing', 'deprecated'),
	('deprecate', 'stable', 'deprecated'),
	('redraft', 'testing', 'draft'),
	('redraft', 'deprecated', 'draft');

-- Deleted rules keep their rows, because observations and findings name them.
CREATE TABLE rule (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid REFERENCES account, -- null: a rule of the catalogue, which surfacectl rules load writes
	id uuid NOT NULL,                     -- its author's, by which imports know it; our uuid by default
	version integer NOT NULL DEFAULT 1 CHECK (version >= 1),
	name label NOT NULL,
	description text NOT NULL DEFAULT '' CHECK (char_length(description) <= 20000),
	author text CHECK (char_length(author) BETWEEN 1 AND 200),
	licence text CHECK (char_length(licence) BETWEEN 1 AND 100),
	dataset text NOT NULL
		CHECK (dataset IN ('hosts', 'services', 'dns', 'whois', 'certificates', 'open_directories')),
	scope text NOT NULL CHECK (scope IN ('all', 'surface')),
	query text NOT NULL CHECK (octet_length(query) <= 8192),
	exclude text NOT NULL DEFAULT '' CHECK (octet_length(exclude) <= 8192),
	severity text NOT NULL CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')),
	tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 16 AND array_position(tags, NULL) IS NULL),
	techniques text[] NOT NULL DEFAULT '{}'
		CHECK (cardinality(techniques) <= 32 AND array_position(techniques, NULL) IS NULL),
	reference_urls text[] NOT NULL DEFAULT '{}'
		CHECK (cardinality(reference_urls) <= 16 AND array_position(reference_urls, NULL) IS NULL),
	false_positives text[] NOT NULL DEFAULT '{}'
		CHECK (cardinality(false_positives) <= 16 AND array_position(false_positives, NULL) IS NULL),
	tests json NOT NULL DEFAULT '[]', -- [{name, record, expect}], as the author wrote them
	status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'testing', 'stable', 'deprecated')),
	status_event text NOT NULL DEFAULT 'create', -- the last move, or change or delete; the audit log names it
	applies_tags boolean NOT NULL DEFAULT false, -- its tags are shown on the documents that match
	produces json,                        -- null, or {area, exposure_kind, rank, title}
	derived_from_uuid uuid REFERENCES rule,
	replaced_by_uuid uuid REFERENCES rule,
	content_sha256 text CHECK (content_sha256 ~ '^[0-9a-f]{64}$'), -- of the catalogue: of the file it was loaded from
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	created_by_membership_uuid uuid REFERENCES member,
	deleted_at timestamptz,
	request_space bytea UNIQUE,           -- of the POST with an Idempotency-Key that made it, as hashes (src/access/idem.h)
	request_hash bytea,
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(), -- surfaced-detect follows it
	CHECK (account_uuid IS NULL OR NOT applies_tags),   -- one account's words never stand on shared documents
	CHECK ((account_uuid IS NULL) = (content_sha256 IS NOT NULL))
);
CREATE UNIQUE INDEX rule_id ON rule (account_uuid, id) NULLS NOT DISTINCT WHERE deleted_at IS NULL;
CREATE INDEX rule_page ON rule (account_uuid, created_at DESC, uuid) WHERE deleted_at IS NULL;
CREATE INDEX rule_changed ON rule (changed);
CREATE TRIGGER stamp_changed BEFORE UPDATE ON rule FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER audit_rule AFTER INSERT OR UPDATE ON rule FOR EACH ROW
	EXECUTE FUNCTION audit_row('uuid', 'status_event');

-- The former queries: version is the last that had this one, changed_at the moment when another replaced it.
CREATE TABLE rule_version (
	rule_uuid uuid NOT NULL REFERENCES rule,
	version integer NOT NULL,
	dataset text NOT NULL,
	query text NOT NULL,
	exclude text NOT NULL,
	changed_at timestamptz NOT NULL,
	changed_by_membership_uuid uuid REFERENCES member, -- null: surfacectl
	PRIMARY KEY (rule_uuid, version)
);

-- What an account has set beside a rule. Without a row: a rule of its own is enabled, one of the catalogue is not, and
-- nothing else is set. A new version of a rule leaves the row alone.
CREATE TABLE rule_setting (
	account_uuid uuid NOT NULL REFERENCES account,
	rule_uuid uuid NOT NULL REFERENCES rule,
	enabled boolean NOT NULL,
	severity text CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')), -- null: the rule's
	exclude text NOT NULL DEFAULT '' CHECK (octet_length(exclude) <= 8192),
	project_uuids uuid[] NOT NULL DEFAULT '{}' -- whose records a rule of scope surface looks at, and who sees the rule
		CHECK (cardinality(project_uuids) <= 100 AND array_position(project_uuids, NULL) IS NULL),
	findings boolean NOT NULL DEFAULT false, -- whether matches on these projects' records become findings
	updated_at timestamptz NOT NULL DEFAULT now(),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	PRIMARY KEY (account_uuid, rule_uuid)
);
CREATE INDEX rule_setting_changed ON rule_setting (changed);
CREATE TRIGGER stamp_changed BEFORE UPDATE ON rule_setting FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER audit_rule_setting AFTER INSERT OR UPDATE ON rule_setting FOR EACH ROW
	EXECUTE FUNCTION audit_row('rule_uuid');

GRANT SELECT ON rule, rule_version, rule_setting, rule_move TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON rule, rule_setting TO surfaced_api;
GRANT INSERT ON rule_version TO surfaced_api;
