-- SPDX-License-Identifier: ISC
-- What surfaced-detect(8) keeps: how far it has followed each dataset, the work that waits, and the observations of
-- rules: which record matched which rule, from when to when.

-- How far each dataset was followed. dataset: the numbers of src/tbl/datasets.h; services are followed with hosts.
CREATE TABLE detect_cursor (
	dataset smallint PRIMARY KEY,
	snapshot pg_snapshot NOT NULL,
	at timestamptz NOT NULL DEFAULT now()
);

-- Data that are evaluated again, in slices that go on behind after_key: a rule or a setting changed, an asset is new.
CREATE TABLE detect_work (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	kind text NOT NULL CHECK (kind IN ('rule', 'asset')),
	subject_uuid uuid NOT NULL,
	after_key bytea,
	due_at timestamptz NOT NULL DEFAULT now(),
	tries integer NOT NULL DEFAULT 0,
	UNIQUE (kind, subject_uuid)
);
CREATE INDEX detect_work_due ON detect_work (due_at, id);

-- A rule as it is evaluated for somebody. Of scope all: one without an account for all accounts that use the rule as
-- it is, and one for each account whose setting has an exclude of its own. Of scope surface: one an account.
CREATE TABLE rule_run (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	rule_uuid uuid NOT NULL REFERENCES rule,
	account_uuid uuid REFERENCES account,
	rule_version integer NOT NULL,
	state text NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'backfilling', 'current', 'saturated', 'failed')),
	active_count bigint NOT NULL DEFAULT 0 CHECK (active_count >= 0),
	matches bigint,          -- saturated: the exact count of an hour ago at most
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
	record_key text NOT NULL CHECK (octet_length(record_key) BETWEEN 1 AND 1024), -- as an answer shows it
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
	UNIQUE NULLS NOT DISTINCT (run_uuid, record_key, project_uuid),
	CHECK ((state = 'gone') = (gone_at IS NOT NULL)),
	CHECK ((state = 'gone') = (gone_reason IS NOT NULL))
);
CREATE INDEX rule_observation_page ON rule_observation (run_uuid, created_at DESC, uuid);
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

CREATE TABLE rule_activity (
	run_uuid uuid NOT NULL REFERENCES rule_run ON DELETE CASCADE,
	day date NOT NULL, -- of UTC
	active bigint NOT NULL, -- at its end
	appeared bigint NOT NULL,
	gone bigint NOT NULL,
	PRIMARY KEY (run_uuid, day)
);

GRANT SELECT ON rule_run, rule_observation, observation_event, rule_activity TO surfaced_api, surfaced_admin;
GRANT SELECT ON detect_cursor, detect_work TO surfaced_admin;
