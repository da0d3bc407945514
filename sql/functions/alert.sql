-- SPDX-License-Identifier: ISC
-- The alert engine: the choice of the changes to evaluate, the alerts and deliveries that a matching rule
-- writes, and the tests and retries that people request. surfaced-alert(8) evaluates rules; it has no right on
-- a table and calls these functions, which run with their owner's rights.
--
--   change of a finding or service -> alert_changed (trigger) -> alert_change
--   alert_take: changes -> records; surfaced-alert matches queries; alert_judge: pairs -> alert_raise -> alert, alert_delivery

-- The state of a silence is computed from its times and is not stored.
CREATE OR REPLACE FUNCTION alert_silence_state(s alert_silence, at timestamptz) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
		WHEN at < s.starts_at THEN 'pending'
		WHEN at < s.ends_at THEN 'active'
		ELSE 'expired' END
$$;

-- True when a silence is in force for the rule at that moment. One such silence is enough to send no
-- notification (C-083).
CREATE OR REPLACE FUNCTION alert_rule_silenced(rule uuid, at timestamptz) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT EXISTS (SELECT FROM alert_silence
		WHERE rule_uuid = rule AND cancelled_at IS NULL AND starts_at <= at AND at < ends_at)
$$;

-- True when each uuid is a destination of the project.
CREATE OR REPLACE FUNCTION alert_destinations_stand(project uuid, destinations uuid[]) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT NOT EXISTS (SELECT FROM unnest(destinations) AS named WHERE NOT EXISTS
		(SELECT FROM alert_destination d WHERE d.project_uuid = project AND d.uuid = named AND d.deleted_at IS NULL))
$$;

-- The members of a record that a rule can query. The removed members (times, sources, the evidence for a finding and
-- the members who moved it) cannot make a rule match, so a new value of one is no change to evaluate.
CREATE OR REPLACE FUNCTION alert_content(record jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT record - '{created_at,updated_at,first_seen_at,last_seen_at,last_observed_at,metadata,status_event,
		status_note,status_changed_at,status_changed_by_membership_uuid,resolved_at,resolved_by_membership_uuid,
		created_by_membership_uuid,discovery_channel,discovery_provider,source_name,source_ref,evidence,detector,
		contradicted_at}'::text[] - CASE WHEN record ? 'finding_key' THEN 'confidence' ELSE '' END
$$;

-- A finding or service in the form that rules query: doc has the fields of src/tbl/fields.h.
CREATE OR REPLACE FUNCTION alert_record(p_source text, p_uuid uuid)
	RETURNS TABLE (project_uuid uuid, title text, severity text, status text, doc jsonb)
	LANGUAGE sql STABLE AS $$
	SELECT f.project_uuid, f.title, f.severity, f.status, to_jsonb(f) - 'evidence' ||
		jsonb_build_object('asset_kind', a.kind, 'asset_name', a.name, 'service_key', s.service_key)
	  FROM finding f LEFT JOIN asset a ON a.uuid = f.asset_uuid LEFT JOIN asset_service s ON s.uuid = f.service_uuid
	 WHERE p_source = 'finding' AND f.uuid = p_uuid
	UNION ALL
	SELECT s.project_uuid, left(concat_ws(' ', coalesce(s.service_name, s.protocol, 'service'), s.product, s.version,
		'at', coalesce(s.endpoint, s.url, s.service_key)), 500), NULL, NULL,
		to_jsonb(s) - 'metadata' || jsonb_build_object('asset_kind', a.kind, 'asset_name', a.name)
	  FROM asset_service s JOIN asset a ON a.uuid = s.asset_uuid
	 WHERE p_source = 'service' AND s.uuid = p_uuid
$$;

-- The oldest due changes, the same number of each project with due changes. When there are more such projects
-- than p_most, only those that have waited longest are served.
CREATE OR REPLACE FUNCTION alert_next(p_most bigint) RETURNS SETOF bigint LANGUAGE sql ROWS 100 AS $$
	SELECT v.id FROM (SELECT project_uuid, greatest(1, p_most / count(*) OVER ()) AS share FROM
			(SELECT * FROM alert_change_waiting WHERE due_at <= now() ORDER BY due_at, project_uuid LIMIT p_most) AS w) AS s,
		LATERAL (SELECT c.id FROM alert_change c WHERE c.project_uuid = s.project_uuid AND c.due_at <= now()
			ORDER BY c.due_at, c.id LIMIT s.share FOR UPDATE SKIP LOCKED) AS v
$$;

-- Takes the changes of alert_next and returns their records; the changes are gone when the transaction commits.
-- Another transaction that takes a change of the same record waits for the first one and then reads the current
-- record, so the last evaluation of a record sees its last state. A change of a deleted record is dropped. JIT
-- is off because this runs hundreds of times a minute, and compiling it took seconds.
CREATE OR REPLACE FUNCTION alert_take(p_most bigint)
	RETURNS TABLE (source text, source_uuid uuid, project_uuid uuid, severity text, status text, doc jsonb)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
	finding uuid[];
	service uuid[];
BEGIN
	WITH picked AS MATERIALIZED (SELECT n AS id FROM alert_next(p_most) AS n),
	taken AS (DELETE FROM alert_change c USING picked p WHERE c.id = p.id RETURNING c.source, c.source_uuid)
	SELECT array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'finding'),
	       array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'service') INTO finding, service FROM taken t;
	PERFORM pg_advisory_xact_lock(h) FROM (SELECT DISTINCT hashtextextended(u::text, 8) AS h
		FROM unnest(finding || service) AS u ORDER BY h) AS held;
	RETURN QUERY SELECT w.source, w.uuid, r.project_uuid, r.severity, r.status, r.doc
	  FROM (SELECT 'finding' AS source, unnest(finding) AS uuid UNION ALL SELECT 'service', unnest(service)) AS w,
	       LATERAL alert_record(w.source, w.uuid) AS r;
END
$$;

-- Defers by a minute the change that alert_take(1) would take. surfaced-alert calls it after it has failed to
-- evaluate this change, so that the other changes do not wait.
CREATE OR REPLACE FUNCTION alert_defer() RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE alert_change SET due_at = now() + interval '1 minute' WHERE id IN (SELECT alert_next(1))
$$;

CREATE OR REPLACE FUNCTION alert_severity_rank(severity text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT array_position('{info,low,medium,high,critical}', severity)
$$;

-- A time in the form of the API.
CREATE OR REPLACE FUNCTION alert_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- The body of a webhook. It has the facts that a receiver needs to act without a request to the API, but no
-- long or free texts, which only the API returns.
CREATE OR REPLACE FUNCTION alert_payload(event text, rule alert_rule, a alert, doc jsonb) RETURNS text
	LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('type', 'alert.' || event, 'timestamp', alert_time(now()), 'data', jsonb_build_object(
		'project_uuid', a.project_uuid, 'rule', jsonb_build_object('uuid', rule.uuid, 'name', rule.name),
		'alert', jsonb_build_object('uuid', a.uuid, 'state', a.state, 'source', a.source, 'source_uuid', a.source_uuid,
			'title', a.title, 'severity', a.severity, 'raised_count', a.raised_count,
			'created_at', alert_time(a.created_at), 'last_raised_at', alert_time(a.last_raised_at)),
		a.source, (SELECT jsonb_object_agg(k, doc -> k) FROM unnest('{finding_key,finding_type,exposure_kind,status,
			asset_kind,asset_name,service_key,endpoint,hostname,ip,port,protocol,service_name,product,version,
			technologies}'::text[]) AS k WHERE doc -> k <> 'null')))::text
$$;

-- Records that a rule matched a record: opens an alert, or increments the count of the open one. Queues a
-- delivery to each destination of the rule when the alert is new or its severity has risen.
CREATE OR REPLACE FUNCTION alert_raise(p_rule uuid, p_source_uuid uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	rule alert_rule;
	seen record;
	was record;
	a alert;
	event text := 'raised';
BEGIN
	SELECT * INTO STRICT rule FROM alert_rule WHERE uuid = p_rule;
	SELECT * INTO STRICT seen FROM alert_record(rule.source, p_source_uuid);
	SELECT uuid, severity INTO was FROM alert
	 WHERE rule_uuid = p_rule AND source_uuid = p_source_uuid AND state <> 'closed' FOR UPDATE;
	IF FOUND THEN
		UPDATE alert SET title = seen.title, severity = seen.severity, raised_count = raised_count + 1,
			updated_at = now(), last_raised_at = now() WHERE uuid = was.uuid RETURNING * INTO a;
		IF NOT coalesce(alert_severity_rank(a.severity) > alert_severity_rank(was.severity), false) THEN
			RETURN;
		END IF;
		event := 'worsened';
	ELSE
		INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, severity)
		VALUES (rule.project_uuid, p_rule, rule.source, p_source_uuid, seen.title, seen.severity) RETURNING * INTO a;
	END IF;
	INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid, payload)
	SELECT d.project_uuid, a.uuid, d.uuid, alert_payload(event, rule, a, seen.doc) FROM alert_destination d
	 WHERE d.project_uuid = rule.project_uuid AND d.uuid = ANY (rule.destination_uuids)
	   AND d.enabled AND d.deleted_at IS NULL;
END
$$;

-- Stores an evaluation of p_rules with p_records; p_rule and p_record are the matching pairs. Raises an alert
-- for each pair, and closes the alerts of these rules and records that no longer match.
CREATE OR REPLACE FUNCTION alert_judge(p_rules uuid[], p_records uuid[], p_rule uuid[], p_record uuid[]) RETURNS void
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM alert_raise(rule, record) FROM unnest(p_rule, p_record) AS pair(rule, record);
	UPDATE alert a SET state = m.to_state, state_event = m.event, updated_at = now(), closed_at = now()
	  FROM alert_move m
	 WHERE a.source_uuid = ANY (p_records) AND a.state <> 'closed' AND a.rule_uuid = ANY (p_rules)
	   AND NOT EXISTS (SELECT FROM unnest(p_rule, p_record) AS pair(rule, record)
		WHERE rule = a.rule_uuid AND record = a.source_uuid)
	   AND m.event = 'clear' AND m.from_state = a.state;
END
$$;

-- Creates a delivery that is marked as a test. A test is sent to a disabled destination too. Returns null when
-- there is no such destination.
CREATE OR REPLACE FUNCTION alert_destination_test(p_project uuid, p_destination uuid) RETURNS uuid LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO alert_delivery (project_uuid, kind, destination_uuid, payload)
	SELECT d.project_uuid, 'test', d.uuid, jsonb_build_object('type', 'destination.test', 'timestamp', alert_time(now()),
		'data', jsonb_build_object('project_uuid', d.project_uuid,
			'destination', jsonb_build_object('uuid', d.uuid, 'name', d.name)))::text
	  FROM alert_destination d
	 WHERE d.project_uuid = p_project AND d.uuid = p_destination AND d.deleted_at IS NULL
	RETURNING uuid
$$;

-- Makes a failed or silenced delivery due again. It keeps its id and may have the full number of attempts
-- again. False: the delivery is in another state.
CREATE OR REPLACE FUNCTION alert_delivery_retry(p_project uuid, p_delivery uuid) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE alert_delivery SET state = 'pending', due_at = now(), spent = attempts
	 WHERE project_uuid = p_project AND uuid = p_delivery AND state IN ('failed', 'silenced');
	IF FOUND THEN
		NOTIFY alert_work;
	END IF;
	RETURN FOUND;
END
$$;

GRANT EXECUTE ON FUNCTION alert_silence_state, alert_rule_silenced, alert_destinations_stand, alert_destination_test, alert_delivery_retry TO surfaced_admin, surfaced_api;
GRANT EXECUTE ON FUNCTION alert_take, alert_defer, alert_judge TO surfaced_alert;
