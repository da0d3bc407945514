-- SPDX-License-Identifier: ISC
-- Alert rules, destinations, silences, the inbox and the history of delivery: SPEC 2.4, CONTRACT A4, A5.

-- As in 0002, and: a record of a project counts to its account, a destination's secret is left out, and a
-- move is named by the event in the column that the trigger says.
CREATE OR REPLACE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - 'sha256' - 'changed' - 'secret' END;
	new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - 'sha256' - 'changed' - 'secret' END;
	line jsonb := coalesce(new_row, old_row);
	account uuid := line ->> 'account_uuid';
	verb text := CASE TG_OP WHEN 'INSERT' THEN 'create' WHEN 'UPDATE' THEN 'change' ELSE 'delete' END;
BEGIN
	IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'alert_destination' AND to_jsonb(OLD) <> to_jsonb(NEW)
	    AND old_row - 'updated_at' = new_row - 'updated_at' THEN
		verb := 'rotate_secret';
	ELSIF old_row = new_row THEN
		RETURN NULL;
	ELSIF TG_OP = 'UPDATE' AND TG_NARGS > 1 THEN
		verb := line ->> TG_ARGV[1];
	END IF;
	IF TG_TABLE_NAME = 'account' THEN
		account := line ->> 'uuid';
	ELSIF account IS NULL AND line ? 'project_uuid' THEN
		SELECT account_uuid INTO account FROM project WHERE uuid = (line ->> 'project_uuid')::uuid;
	END IF;
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, before, after, request_id)
	VALUES (coalesce(nullif(current_setting('surfaced.actor', true), ''), 'role:' || session_user),
		TG_TABLE_NAME || '.' || verb, TG_TABLE_NAME, line ->> TG_ARGV[0], account, old_row, new_row,
		nullif(current_setting('surfaced.request_id', true), ''));
	RETURN NULL;
END
$$;

-- Rows of rules and destinations stay when they are deleted, because alerts and silences name them.
CREATE TABLE alert_destination (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	name label NOT NULL,
	url text NOT NULL CHECK (url ~* '^https://' AND char_length(url) <= 2048),
	secret text NOT NULL CHECK (secret ~ '^whsec_[A-Za-z0-9+/]{43}=$'), -- Standard Webhooks
	enabled boolean NOT NULL DEFAULT true,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz,
	UNIQUE (project_uuid, uuid)
);
CREATE INDEX alert_destination_page ON alert_destination (project_uuid, created_at DESC, uuid) WHERE deleted_at IS NULL;

CREATE TABLE alert_rule (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	name label NOT NULL,
	source text NOT NULL CHECK (source IN ('finding', 'service')),
	min_severity text CHECK (min_severity IN ('info', 'low', 'medium', 'high', 'critical')),
	query text NOT NULL DEFAULT '' CHECK (char_length(query) <= 8192),
	destination_uuids uuid[] NOT NULL DEFAULT '{}'
		CHECK (array_position(destination_uuids, NULL) IS NULL AND cardinality(destination_uuids) <= 16),
	enabled boolean NOT NULL DEFAULT true,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz,
	CHECK ((source = 'finding') = (min_severity IS NOT NULL)),
	UNIQUE (project_uuid, uuid)
);
CREATE INDEX alert_rule_page ON alert_rule (project_uuid, created_at DESC, uuid) WHERE deleted_at IS NULL;

-- [starts_at, ends_at); cancelled ones end when they were. Rows are never deleted (A5).
CREATE TABLE alert_silence (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL,
	rule_uuid uuid NOT NULL,
	reason text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
	starts_at timestamptz NOT NULL,
	ends_at timestamptz NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	cancelled_at timestamptz,
	CHECK (ends_at > starts_at),
	CHECK (ends_at AT TIME ZONE 'UTC' <= starts_at AT TIME ZONE 'UTC' + interval '1 year'),
	FOREIGN KEY (project_uuid, rule_uuid) REFERENCES alert_rule (project_uuid, uuid)
);
CREATE INDEX alert_silence_page ON alert_silence (project_uuid, created_at DESC, uuid);
CREATE INDEX alert_silence_rule ON alert_silence (rule_uuid, ends_at) WHERE cancelled_at IS NULL;

-- Derived, never stored.
CREATE FUNCTION alert_silence_state(s alert_silence, at timestamptz) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
		WHEN at < s.starts_at THEN 'pending'
		WHEN at < s.ends_at THEN 'active'
		ELSE 'expired' END
$$;

-- Whether the rule notifies nobody at that moment: any one silence is enough (C-083).
CREATE FUNCTION alert_rule_silenced(rule uuid, at timestamptz) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT EXISTS (SELECT FROM alert_silence
		WHERE rule_uuid = rule AND cancelled_at IS NULL AND starts_at <= at AND at < ends_at)
$$;

-- The moves of src/tbl/alert_moves.h; t/house/states.t holds them equal.
CREATE TABLE alert_move (
	event text NOT NULL,
	from_state text NOT NULL,
	to_state text NOT NULL,
	PRIMARY KEY (event, from_state)
);
INSERT INTO alert_move VALUES
	('acknowledge', 'open', 'acknowledged'),
	('close', 'open', 'closed'),
	('close', 'acknowledged', 'closed'),
	('clear', 'open', 'closed'),
	('clear', 'acknowledged', 'closed'),
	('reopen', 'acknowledged', 'open'),
	('reopen', 'closed', 'open');

-- The inbox: what a rule said about one finding or service, however often it said so.
CREATE TABLE alert (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL,
	rule_uuid uuid NOT NULL,
	state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'acknowledged', 'closed')),
	state_event text NOT NULL DEFAULT 'raise',
	source text NOT NULL CHECK (source IN ('finding', 'service')),
	source_uuid uuid NOT NULL,
	title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 500),
	severity text CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')),
	raised_count bigint NOT NULL DEFAULT 1 CHECK (raised_count > 0),
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	last_raised_at timestamptz NOT NULL DEFAULT now(),
	acknowledged_at timestamptz,
	acknowledged_by_membership_uuid uuid REFERENCES member,
	closed_at timestamptz,
	closed_by_membership_uuid uuid REFERENCES member,
	CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
	FOREIGN KEY (project_uuid, rule_uuid) REFERENCES alert_rule (project_uuid, uuid),
	UNIQUE (project_uuid, uuid)
);
CREATE INDEX alert_page ON alert (project_uuid, created_at DESC, uuid);
CREATE UNIQUE INDEX alert_unclosed ON alert (rule_uuid, source_uuid) WHERE state <> 'closed';
CREATE INDEX alert_unclosed_source ON alert (source_uuid) WHERE state <> 'closed';

-- What became of one alert at one destination; its uuid is the webhook-id of every attempt. A test is of a
-- destination alone.
CREATE TABLE alert_delivery (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL,
	kind text NOT NULL DEFAULT 'alert' CHECK (kind IN ('alert', 'test')),
	alert_uuid uuid,
	destination_uuid uuid NOT NULL,
	payload text NOT NULL DEFAULT '{}', -- what is sent, the same at every attempt
	state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'silenced')),
	attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
	spent bigint NOT NULL DEFAULT 0 CHECK (spent BETWEEN 0 AND attempts), -- of them before the last retry by hand
	due_at timestamptz NOT NULL DEFAULT now(),  -- of one that is pending: when it is sent next, unless its
	leased_until timestamptz,                   -- attempt, which runs until then, comes to an end before
	created_at timestamptz NOT NULL DEFAULT now(),
	last_attempt_at timestamptz,
	delivered_at timestamptz,
	http_status_code integer CHECK (http_status_code BETWEEN 100 AND 599), -- of the last attempt
	failure text CHECK (char_length(failure) BETWEEN 1 AND 500),          -- of the last attempt
	CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
	CHECK ((kind = 'alert') = (alert_uuid IS NOT NULL)),
	CHECK (state = 'pending' OR leased_until IS NULL),
	FOREIGN KEY (project_uuid, alert_uuid) REFERENCES alert (project_uuid, uuid),
	FOREIGN KEY (project_uuid, destination_uuid) REFERENCES alert_destination (project_uuid, uuid)
);
CREATE INDEX alert_delivery_due ON alert_delivery (destination_uuid, due_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_leased ON alert_delivery (destination_uuid) WHERE leased_until IS NOT NULL;
CREATE INDEX alert_delivery_page ON alert_delivery (project_uuid, created_at DESC, uuid);
CREATE INDEX alert_delivery_alert ON alert_delivery (alert_uuid);

-- Its history. One without an end is under way, or its program was ended.
CREATE TABLE alert_attempt (
	delivery_uuid uuid NOT NULL REFERENCES alert_delivery,
	number bigint NOT NULL CHECK (number > 0),
	attempted_at timestamptz NOT NULL,
	ended_at timestamptz,
	http_status_code integer CHECK (http_status_code BETWEEN 100 AND 599),
	failure text CHECK (char_length(failure) BETWEEN 1 AND 500),
	PRIMARY KEY (delivery_uuid, number)
);

CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_destination FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_rule FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_silence FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER UPDATE ON alert FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION audit_row('uuid', 'state_event');

-- Whether each is a destination of the project.
CREATE FUNCTION alert_destinations_stand(project uuid, destinations uuid[]) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT NOT EXISTS (SELECT FROM unnest(destinations) AS named WHERE NOT EXISTS
		(SELECT FROM alert_destination d WHERE d.project_uuid = project AND d.uuid = named AND d.deleted_at IS NULL))
$$;

-- Rules no longer name a destination that is deleted, whoever deletes it.
CREATE FUNCTION alert_destination_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE alert_rule SET destination_uuids = array_remove(destination_uuids, NEW.uuid), updated_at = now()
	 WHERE project_uuid = NEW.project_uuid AND deleted_at IS NULL AND destination_uuids @> ARRAY[NEW.uuid];
	RETURN NULL;
END
$$;
CREATE TRIGGER alert_destination_forget AFTER UPDATE ON alert_destination FOR EACH ROW
	WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION alert_destination_forget();

GRANT EXECUTE ON FUNCTION alert_silence_state, alert_rule_silenced, alert_destinations_stand TO surfaced_api, surfaced_admin;
GRANT SELECT ON alert_rule, alert_silence, alert_move, alert, alert_delivery, alert_attempt TO surfaced_api, surfaced_admin;
-- The secret is shown once, by who made it; nobody but the sender of webhooks reads it.
GRANT SELECT (uuid, project_uuid, name, url, enabled, created_at, updated_at, deleted_at) ON alert_destination
	TO surfaced_api, surfaced_admin;
GRANT INSERT ON alert_destination, alert_rule TO surfaced_api, surfaced_admin;
GRANT INSERT ON alert_silence TO surfaced_api;
GRANT UPDATE (name, url, secret, enabled, updated_at, deleted_at) ON alert_destination TO surfaced_api, surfaced_admin;
GRANT UPDATE (name, source, min_severity, query, destination_uuids, enabled, updated_at, deleted_at) ON alert_rule
	TO surfaced_api, surfaced_admin;
GRANT UPDATE (cancelled_at) ON alert_silence TO surfaced_api;
GRANT UPDATE (state, state_event, updated_at, acknowledged_at, acknowledged_by_membership_uuid, closed_at,
	closed_by_membership_uuid) ON alert TO surfaced_api;
