-- SPDX-License-Identifier: ISC
-- What surfaced-detect(8) keeps: how far it has followed each dataset, the work that waits, and the observations of
-- rules: which record matched which rule, from when to when.

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

CREATE TABLE rule_activity (
	run_uuid uuid NOT NULL REFERENCES rule_run ON DELETE CASCADE,
	day date NOT NULL, -- of UTC
	active bigint NOT NULL, -- at its end
	appeared bigint NOT NULL,
	gone bigint NOT NULL,
	PRIMARY KEY (run_uuid, day)
);

CREATE TRIGGER detect_rule AFTER INSERT OR UPDATE ON rule FOR EACH ROW EXECUTE FUNCTION detect_rule_changed();
CREATE TRIGGER detect_setting AFTER INSERT OR UPDATE OR DELETE ON rule_setting FOR EACH ROW
	EXECUTE FUNCTION detect_setting_changed();
CREATE TRIGGER detect_asset AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION detect_asset_added();

GRANT SELECT ON tag TO surfaced_detect;
GRANT SELECT ON rule_run, rule_observation, observation_event, rule_activity TO surfaced_api, surfaced_admin;
GRANT SELECT ON detect_cursor, detect_work TO surfaced_admin;
