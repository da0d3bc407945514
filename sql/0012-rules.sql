-- SPDX-License-Identifier: ISC
-- Detection rules: queries with a severity, samples and states, what each account sets beside them, and what
-- surfaced-detect(8) keeps of them: how far it has followed each dataset, the work that waits, and the observations:
-- which record matched which rule, from when to when.

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

-- The rules of an account, deleted ones too, whose observations it still reads.
CREATE INDEX rule_account ON rule (account_uuid);

CREATE TRIGGER stamp_changed BEFORE UPDATE ON rule FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER audit_rule AFTER INSERT OR UPDATE ON rule FOR EACH ROW
	EXECUTE FUNCTION audit_row('uuid', 'status_event');
CREATE TRIGGER catalogue_rule BEFORE UPDATE ON rule FOR EACH ROW WHEN (OLD.account_uuid IS NULL)
	EXECUTE FUNCTION catalogue_rule_kept();

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

-- surfaced-detect asks for the settings of one rule.
CREATE INDEX rule_setting_rule ON rule_setting (rule_uuid);

CREATE TRIGGER stamp_changed BEFORE UPDATE ON rule_setting FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER audit_rule_setting AFTER INSERT OR UPDATE ON rule_setting FOR EACH ROW
	EXECUTE FUNCTION audit_row('rule_uuid');

-- How far each dataset was followed. dataset: the numbers of src/tbl/datasets.h; services are followed with hosts.
-- Everything that `snapshot` shows was evaluated. A pass over what it does not show goes by (changed, key), and may take
-- many transactions: `after_changed` and `after_key` are its last row, `next` is the snapshot that it ends with.
CREATE TABLE detect_cursor (
	dataset smallint PRIMARY KEY,
	snapshot pg_snapshot NOT NULL,
	next pg_snapshot, -- null: no pass is under way
	after_changed xid8,
	after_key bytea,
	at timestamptz NOT NULL DEFAULT now(), -- when there was last nothing to follow
	CHECK ((next IS NULL) = (after_changed IS NULL) AND (next IS NULL) = (after_key IS NULL))
);

-- Data that are evaluated again, in slices: a rule or a setting changed, an asset is new.
CREATE TABLE detect_work (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	kind text NOT NULL CHECK (kind IN ('rule', 'asset')),
	subject_uuid uuid NOT NULL,
	phase smallint NOT NULL DEFAULT 0, -- 0: begins; 1: walks the index; 2: what the index lacks; 3: what was observed
	since pg_snapshot,   -- of the index when its walk began
	after_changed xid8,  -- of phase 2
	after_key bytea,     -- behind which the next slice of a phase begins
	due_at timestamptz NOT NULL DEFAULT now(),
	tries integer NOT NULL DEFAULT 0,
	again boolean NOT NULL DEFAULT false, -- a setting has changed meanwhile: the work begins anew when it is done
	asked xid8 NOT NULL DEFAULT pg_current_xact_id(), -- the transaction that asked last: a slice that began before it does not move the position
	UNIQUE (kind, subject_uuid)
);
CREATE INDEX detect_work_due ON detect_work (due_at, id);

-- A rule or a setting that changes, and a new asset, ask for an evaluation.
CREATE TRIGGER detect_rule AFTER INSERT OR UPDATE ON rule FOR EACH ROW EXECUTE FUNCTION detect_rule_changed();
CREATE TRIGGER detect_setting AFTER INSERT OR UPDATE OR DELETE ON rule_setting FOR EACH ROW
	EXECUTE FUNCTION detect_setting_changed();
CREATE TRIGGER detect_asset AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION detect_asset_added();

-- A run is a rule with the accounts for which it is evaluated. A rule of scope all has one run without an account, for
-- all accounts that use the rule as it is, and one for each account whose setting has an exclude. A rule of scope surface
-- has one run for each account.
CREATE TABLE rule_run (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	rule_uuid uuid NOT NULL REFERENCES rule,
	account_uuid uuid REFERENCES account,
	rule_version integer NOT NULL,
	live boolean NOT NULL DEFAULT true, -- it is evaluated; false: its rule is a draft, ended or not enabled
	state text NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'backfilling', 'current', 'saturated', 'failed')),
	active_count bigint NOT NULL DEFAULT 0 CHECK (active_count >= 0),
	anchored boolean NOT NULL DEFAULT false,
	uses_now boolean NOT NULL DEFAULT false,
	evaluated_at timestamptz,
	error text CHECK (char_length(error) <= 500),
	failed_at timestamptz, -- when it failed last: runs of the catalogue are tried again (detect_retry)
	UNIQUE NULLS NOT DISTINCT (rule_uuid, account_uuid)
);

CREATE TABLE rule_observation (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	run_uuid uuid NOT NULL REFERENCES rule_run ON DELETE CASCADE,
	project_uuid uuid REFERENCES project, -- scope surface: whose record it is
	dataset smallint NOT NULL,
	document_key bytea NOT NULL, -- of the table record; of a service that of its host
	record_key text NOT NULL CHECK (octet_length(record_key) BETWEEN 1 AND 4096), -- as an answer shows it
	rule_version integer NOT NULL,
	record jsonb NOT NULL,
	matched jsonb NOT NULL DEFAULT '[]',
	state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'gone')),
	gone_reason text
		CHECK (gone_reason IN ('changed', 'removed', 'excluded', 'rule_changed', 'rule_ended', 'stale')),
	suspect boolean NOT NULL DEFAULT false,
	first_seen_at timestamptz NOT NULL, -- the data's time, as last_seen_at
	last_seen_at timestamptz NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	gone_at timestamptz,
	returns integer NOT NULL DEFAULT 0 CHECK (returns >= 0),
	CONSTRAINT rule_observation_of UNIQUE NULLS NOT DISTINCT (run_uuid, record_key, project_uuid),
	CHECK ((state = 'gone') = (gone_at IS NOT NULL)),
	CHECK ((state = 'gone') = (gone_reason IS NOT NULL))
);
CREATE INDEX rule_observation_page ON rule_observation (run_uuid, created_at DESC, uuid);
CREATE INDEX rule_observation_active ON rule_observation (run_uuid, uuid) WHERE state = 'active';
CREATE INDEX rule_observation_document ON rule_observation (document_key, dataset) WHERE state = 'active';
CREATE INDEX rule_observation_seen ON rule_observation (last_seen_at) WHERE state = 'active' AND dataset IN (1, 2);
CREATE INDEX rule_observation_gone ON rule_observation (gone_at) WHERE state = 'gone';
CREATE INDEX rule_observation_record ON rule_observation (dataset, record_key) WHERE state = 'active';

-- A page of the observations of many runs is merged from the first rows of each.
CREATE INDEX rule_observation_state ON rule_observation (run_uuid, state, created_at DESC, uuid);

CREATE INDEX rule_observation_ip ON rule_observation ((record ->> 'ip'), created_at DESC, uuid)
	WHERE record ->> 'ip' IS NOT NULL;

-- What happened to observations. Rows are kept for 90 days.
CREATE TABLE observation_event (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	run_uuid uuid NOT NULL REFERENCES rule_run ON DELETE CASCADE,
	observation_uuid uuid NOT NULL REFERENCES rule_observation ON DELETE CASCADE,
	event text NOT NULL CHECK (event IN ('appeared', 'gone', 'returned')),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id() -- the feed shows what no running transaction can precede
);
CREATE INDEX observation_event_feed ON observation_event (changed, id);
CREATE INDEX observation_event_at ON observation_event (at);
CREATE INDEX observation_event_observation ON observation_event (observation_uuid);

-- So is a page of the feed.
CREATE INDEX observation_event_run ON observation_event (run_uuid, changed, id);

CREATE TABLE rule_activity (
	run_uuid uuid NOT NULL REFERENCES rule_run ON DELETE CASCADE,
	day date NOT NULL, -- of UTC
	active bigint NOT NULL, -- at its end
	appeared bigint NOT NULL,
	gone bigint NOT NULL,
	PRIMARY KEY (run_uuid, day)
);

-- The tags that rules of the catalogue apply to matching documents (applies_tags). The table record
-- keeps the documents as they were imported; record_tagged (functions/detect.sql) adds these tags
-- when a document is read. A change of a row here marks the record as changed, so that programs
-- that follow the table record read the document again.
CREATE TABLE document_tag (
	dataset smallint NOT NULL,
	key bytea NOT NULL,
	slug text NOT NULL,
	rule_uuid uuid NOT NULL REFERENCES rule,
	PRIMARY KEY (dataset, key, slug, rule_uuid)
);
CREATE INDEX document_tag_rule ON document_tag (rule_uuid, dataset, key);

-- How many tags a rule has on documents, which are too many to be counted for each batch.
CREATE TABLE document_tags (
	rule_uuid uuid PRIMARY KEY REFERENCES rule,
	n bigint NOT NULL
);

GRANT SELECT ON rule, rule_version, rule_setting, rule_move TO surfaced_api, surfaced_admin;
GRANT INSERT ON rule, rule_setting TO surfaced_api;
GRANT UPDATE ON rule_setting TO surfaced_api;
GRANT INSERT ON rule_version TO surfaced_api;
GRANT SELECT ON rule_run, rule_observation, observation_event, rule_activity TO surfaced_api, surfaced_admin;
GRANT SELECT ON detect_cursor, detect_work TO surfaced_admin;
GRANT SELECT ON document_tag TO surfaced_api, surfaced_index, surfaced_admin;

-- A worker that was taken over cannot give a rule to another account, or change the rules that all accounts share.
GRANT UPDATE (version, name, description, author, licence, dataset, scope, query, exclude, severity, tags,
	techniques, reference_urls, false_positives, tests, status, status_event, produces, replaced_by_uuid,
	updated_at, deleted_at) ON rule TO surfaced_api;
