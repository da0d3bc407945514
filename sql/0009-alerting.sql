-- SPDX-License-Identifier: ISC
-- Alert rules, destinations, silences, the inbox, the history of delivery, and the queue of changes that
-- surfaced-alert(8) evaluates. Both queues, of changes and of deliveries, are served by project, so that
-- a project with many of them, or with receivers that stall, delays only itself.

-- Deleted rules and destinations keep their rows, because alerts and silences name them.
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
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_destination FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER alert_destination_forget AFTER UPDATE ON alert_destination FOR EACH ROW
	WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION alert_destination_forget();

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
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_rule FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

-- A silence holds in [starts_at, ends_at) and ends early when it is cancelled. Rows are never deleted.
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
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON alert_silence FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

-- src/tbl/alert_moves.h has the same moves; t/house/states.t compares them.
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

-- The inbox: one row for a rule and a finding or service, however often the rule matches it.
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
CREATE TRIGGER audit_row AFTER UPDATE ON alert FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION audit_row('uuid', 'state_event');
CREATE TRIGGER metric_raise AFTER INSERT ON alert FOR EACH ROW EXECUTE FUNCTION metric_alert();
CREATE TRIGGER metric_change AFTER UPDATE ON alert FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state OR NEW.raised_count > OLD.raised_count) EXECUTE FUNCTION metric_alert();

-- One alert for one destination; its uuid is the webhook-id of every attempt. A test has no alert.
CREATE TABLE alert_delivery (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL,
	kind text NOT NULL DEFAULT 'alert' CHECK (kind IN ('alert', 'test')),
	alert_uuid uuid,
	destination_uuid uuid NOT NULL,
	payload text NOT NULL DEFAULT '{}', -- the body, the same at every attempt
	state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'silenced')),
	attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
	spent bigint NOT NULL DEFAULT 0 CHECK (spent BETWEEN 0 AND attempts), -- attempts before the last retry by hand
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
CREATE INDEX alert_delivery_next ON alert_delivery (project_uuid, due_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_waiting ON alert_delivery (project_uuid, destination_uuid, due_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_leased ON alert_delivery (project_uuid, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX alert_delivery_finished ON alert_delivery (greatest(created_at, last_attempt_at, delivered_at))
	WHERE state <> 'pending';
CREATE INDEX alert_delivery_page ON alert_delivery (project_uuid, created_at DESC, uuid);
CREATE INDEX alert_delivery_alert ON alert_delivery (alert_uuid);
CREATE TRIGGER delivery_due AFTER INSERT ON alert_delivery FOR EACH STATEMENT EXECUTE FUNCTION delivery_due();

-- Tests and retries are acts of people. The other deliveries have their history instead.
CREATE TRIGGER audit_test AFTER INSERT ON alert_delivery FOR EACH ROW
	WHEN (NEW.kind = 'test') EXECUTE FUNCTION audit_row('uuid');

CREATE TRIGGER audit_retry AFTER UPDATE ON alert_delivery FOR EACH ROW
	WHEN (OLD.state <> 'pending' AND NEW.state = 'pending') EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER metric_made AFTER INSERT ON alert_delivery FOR EACH ROW EXECUTE FUNCTION metric_delivery();
CREATE TRIGGER metric_change AFTER UPDATE ON alert_delivery FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION metric_delivery();

-- The history of a delivery. An attempt without an end is under way, or its program was killed.
CREATE TABLE alert_attempt (
	delivery_uuid uuid NOT NULL REFERENCES alert_delivery,
	number bigint NOT NULL CHECK (number > 0),
	attempted_at timestamptz NOT NULL,
	ended_at timestamptz,
	http_status_code integer CHECK (http_status_code BETWEEN 100 AND 599),
	failure text CHECK (char_length(failure) BETWEEN 1 AND 500),
	PRIMARY KEY (delivery_uuid, number)
);
CREATE TRIGGER metric_end AFTER UPDATE ON alert_attempt FOR EACH ROW
	WHEN (OLD.ended_at IS NULL AND OLD.failure IS NULL AND (NEW.ended_at IS NOT NULL OR NEW.failure IS NOT NULL))
	EXECUTE FUNCTION metric_attempt();

CREATE TABLE alert_change (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	source text NOT NULL CHECK (source IN ('finding', 'service')),
	source_uuid uuid NOT NULL,
	due_at timestamptz NOT NULL DEFAULT now(), -- later: it could not be evaluated
	project_uuid uuid NOT NULL
);
CREATE INDEX alert_change_next ON alert_change (project_uuid, due_at, id);

-- Changes are queued in the transaction that makes them, so that none is lost.
CREATE TRIGGER alert_created AFTER INSERT ON finding REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('finding');
CREATE TRIGGER alert_changed AFTER UPDATE ON finding REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('finding');
CREATE TRIGGER alert_created AFTER INSERT ON asset_service REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('service');
CREATE TRIGGER alert_changed AFTER UPDATE ON asset_service REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('service');

-- Projects with changes, and the time at which the first change of each is due. The recursion steps from project
-- to project in the index instead of reading every change.
CREATE VIEW alert_change_waiting AS
	WITH RECURSIVE waiting AS (
		(SELECT project_uuid, due_at FROM alert_change ORDER BY project_uuid, due_at, id LIMIT 1)
		UNION ALL
		SELECT n.* FROM waiting w, LATERAL (SELECT c.project_uuid, c.due_at FROM alert_change c
			WHERE c.project_uuid > w.project_uuid ORDER BY c.project_uuid, c.due_at, c.id LIMIT 1) AS n)
	SELECT project_uuid, due_at FROM waiting;

-- The rules that are evaluated: not those of an organisation that is suspended or no longer has alerting.
CREATE VIEW alert_rule_active AS
	SELECT r.uuid, r.project_uuid, r.source, r.min_severity, r.query
	  FROM alert_rule r JOIN project p ON p.uuid = r.project_uuid JOIN account a ON a.uuid = p.account_uuid
	 WHERE r.enabled AND r.deleted_at IS NULL AND a.state = 'active'
	   AND EXISTS (SELECT FROM entitlement e WHERE e.account_uuid = a.uuid AND e.name = 'alerting'
		AND (e.expires_at IS NULL OR e.expires_at > now()));

GRANT SELECT ON alert_rule, alert_silence, alert_move, alert, alert_delivery, alert_attempt
	TO surfaced_api, surfaced_admin;

-- The secret of a destination is shown once, when it is created; only the functions of delivery read it.
GRANT SELECT (uuid, project_uuid, name, url, enabled, created_at, updated_at, deleted_at)
	ON alert_destination TO surfaced_api, surfaced_admin;
GRANT INSERT ON alert_destination, alert_rule TO surfaced_api, surfaced_admin;
GRANT INSERT ON alert_silence TO surfaced_api;
GRANT UPDATE (name, url, secret, enabled, updated_at, deleted_at)
	ON alert_destination TO surfaced_api, surfaced_admin;
GRANT UPDATE (name, source, min_severity, query, destination_uuids, enabled, updated_at, deleted_at)
	ON alert_rule TO surfaced_api, surfaced_admin;
GRANT UPDATE (cancelled_at) ON alert_silence TO surfaced_api;
GRANT UPDATE (state, state_event, updated_at, acknowledged_at, acknowledged_by_membership_uuid, closed_at,
	closed_by_membership_uuid) ON alert TO surfaced_api;
GRANT SELECT ON alert_rule_active TO surfaced_alert;
GRANT SELECT ON alert_change, alert_change_waiting TO surfaced_admin;
