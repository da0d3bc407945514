-- SPDX-License-Identifier: ISC
-- The alert engine: what changed, what rules make of it, and what is sent. surfaced-alert(8) does this by the
-- functions here, which run with their owner's rights; it has no others.

-- ---- what changed: written in the transaction that changes it, so that neither stands alone ----

CREATE TABLE alert_change (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	source text NOT NULL CHECK (source IN ('finding', 'service')),
	source_uuid uuid NOT NULL,
	due_at timestamptz NOT NULL DEFAULT now() -- later: it could not be judged, and must not hold up the rest
);

-- What is no change: when and by whom a record was seen, who moved it, what no rule can ask.
CREATE FUNCTION alert_content(record jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT record - '{created_at,updated_at,first_seen_at,last_seen_at,last_observed_at,metadata,status_event,
		status_note,status_changed_at,status_changed_by_membership_uuid,resolved_at,resolved_by_membership_uuid,
		created_by_membership_uuid,discovery_channel,discovery_provider,source_name,source_ref}'::text[]
$$;

-- Of projects with a rule that could ask. fresh and stale are the statement's rows.
CREATE FUNCTION alert_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO alert_change (source, source_uuid)
		SELECT TG_ARGV[0], f.uuid FROM fresh f
		 WHERE EXISTS (SELECT FROM alert_rule r WHERE r.project_uuid = f.project_uuid
			AND r.source = TG_ARGV[0] AND r.enabled AND r.deleted_at IS NULL);
	ELSE
		INSERT INTO alert_change (source, source_uuid)
		SELECT TG_ARGV[0], f.uuid FROM fresh f JOIN stale s USING (uuid)
		 WHERE alert_content(to_jsonb(f)) <> alert_content(to_jsonb(s))
		   AND EXISTS (SELECT FROM alert_rule r WHERE r.project_uuid = f.project_uuid
			AND r.source = TG_ARGV[0] AND r.enabled AND r.deleted_at IS NULL);
	END IF;
	IF FOUND THEN
		NOTIFY alert_work;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER alert_created AFTER INSERT ON finding REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('finding');
CREATE TRIGGER alert_changed AFTER UPDATE ON finding REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('finding');
CREATE TRIGGER alert_created AFTER INSERT ON asset_service REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('service');
CREATE TRIGGER alert_changed AFTER UPDATE ON asset_service REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION alert_changed('service');

-- ---- evaluation: one transaction takes changes, judges their records and writes what follows ----

-- A finding or service as rules see it: doc has the fields of src/tbl/fields.h.
CREATE FUNCTION alert_record(p_source text, p_uuid uuid)
	RETURNS TABLE (project_uuid uuid, title text, severity text, status text, doc jsonb)
	LANGUAGE sql STABLE AS $$
	SELECT f.project_uuid, f.title, f.severity, f.status, to_jsonb(f) ||
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

-- The oldest changes, gone if the transaction commits. Who else takes a change of the same record waits, and
-- then reads it as it is by that time: the last word on a record is about its last state.
CREATE FUNCTION alert_take(p_most bigint)
	RETURNS TABLE (source text, source_uuid uuid, project_uuid uuid, severity text, status text, doc jsonb)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	finding uuid[];
	service uuid[];
BEGIN
	WITH taken AS (DELETE FROM alert_change WHERE id IN
		(SELECT id FROM alert_change WHERE due_at <= now() ORDER BY id LIMIT p_most FOR UPDATE SKIP LOCKED) RETURNING source, source_uuid)
	SELECT array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'finding'),
	       array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'service') INTO finding, service FROM taken t;
	PERFORM pg_advisory_xact_lock(h) FROM (SELECT DISTINCT hashtextextended(u::text, 8) AS h
		FROM unnest(finding || service) AS u ORDER BY h) AS held;
	RETURN QUERY SELECT w.source, w.uuid, r.project_uuid, r.severity, r.status, r.doc
	  FROM (SELECT 'finding' AS source, unnest(finding) AS uuid UNION ALL SELECT 'service', unnest(service)) AS w,
	       LATERAL alert_record(w.source, w.uuid) AS r;
END
$$;

-- The change that alert_take(1) would take waits a while.
CREATE FUNCTION alert_defer() RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE alert_change SET due_at = now() + interval '1 minute' WHERE id =
		(SELECT id FROM alert_change WHERE due_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
$$;

-- Rules that count now: an organisation that is suspended, or no longer has alerting, is told nothing.
CREATE VIEW alert_rule_active AS
	SELECT r.uuid, r.project_uuid, r.source, r.min_severity, r.query
	  FROM alert_rule r JOIN project p ON p.uuid = r.project_uuid JOIN account a ON a.uuid = p.account_uuid
	 WHERE r.enabled AND r.deleted_at IS NULL AND a.state = 'active'
	   AND EXISTS (SELECT FROM entitlement e WHERE e.account_uuid = a.uuid AND e.name = 'alerting'
		AND (e.expires_at IS NULL OR e.expires_at > now()));

CREATE FUNCTION alert_severity_rank(severity text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT array_position('{info,low,medium,high,critical}', severity)
$$;

-- As the API writes times.
CREATE FUNCTION alert_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Facts that the receiver can act on without asking back; what is long or free stays in the API.
CREATE FUNCTION alert_payload(event text, rule alert_rule, a alert, doc jsonb) RETURNS text
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

-- What a rule that matches says of a record: one alert that is not closed, and word to the rule's destinations
-- when it is new or has become worse.
CREATE FUNCTION alert_raise(p_rule uuid, p_source_uuid uuid) RETURNS void LANGUAGE plpgsql
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

-- p_rules were held against p_records: the pairs that match, and alerts that are closed because theirs do not.
CREATE FUNCTION alert_judge(p_rules uuid[], p_records uuid[], p_rule uuid[], p_record uuid[]) RETURNS void
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

-- ---- delivery: a lease while it is sent, its number on whatever is written of it ----

-- Takes what is due: at most p_room deliveries, of one destination as many as keep it at p_each under way. What
-- must not be sent is settled instead, and comes without a url. The moment of this call is that of the delivery.
CREATE FUNCTION delivery_claim(p_room bigint, p_each bigint, p_lease_ms bigint, p_attempts bigint)
	RETURNS TABLE (uuid uuid, attempt bigint, tries bigint, url text, secret text, payload text)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- waiting: each destination once, from entry to entry of the index.
	RETURN QUERY WITH RECURSIVE waiting AS (
		(SELECT destination_uuid AS whom FROM alert_delivery WHERE state = 'pending' ORDER BY 1 LIMIT 1)
		UNION ALL
		SELECT (SELECT d.destination_uuid FROM alert_delivery d WHERE d.state = 'pending' AND d.destination_uuid > whom
			ORDER BY 1 LIMIT 1) FROM waiting WHERE whom IS NOT NULL),
	picked AS MATERIALIZED (
		SELECT v.uuid FROM waiting, LATERAL (
			SELECT d.uuid, d.due_at FROM alert_delivery d
			 WHERE d.destination_uuid = whom AND d.state = 'pending' AND d.due_at <= now()
			 ORDER BY d.due_at LIMIT greatest(0, p_each - (SELECT count(*) FROM alert_delivery o
				WHERE o.destination_uuid = whom AND o.leased_until > now()))
			   FOR UPDATE SKIP LOCKED) AS v
		 ORDER BY v.due_at LIMIT p_room),
	judged AS MATERIALIZED (
		SELECT d.uuid, t.url, t.secret, CASE
			WHEN d.attempts - d.spent >= p_attempts THEN 'the attempt was interrupted, and was the last'
			WHEN t.deleted_at IS NOT NULL THEN 'the destination is deleted'
			WHEN NOT t.enabled AND d.kind = 'alert' THEN 'the destination is disabled' END AS failure,
			d.kind = 'alert' AND alert_rule_silenced(a.rule_uuid, now()) AS silenced
		  FROM picked JOIN alert_delivery d USING (uuid) JOIN alert_destination t ON t.uuid = d.destination_uuid
		  LEFT JOIN alert a ON a.uuid = d.alert_uuid),
	interrupted AS (
		UPDATE alert_attempt h SET failure = 'interrupted: surfaced-alert ended while it was sent'
		  FROM judged j WHERE h.delivery_uuid = j.uuid AND h.ended_at IS NULL AND h.failure IS NULL),
	written AS (
		UPDATE alert_delivery d SET
			state = CASE WHEN j.silenced THEN 'silenced' WHEN j.failure IS NOT NULL THEN 'failed' ELSE d.state END,
			failure = CASE WHEN j.silenced THEN d.failure ELSE coalesce(j.failure, d.failure) END,
			attempts = d.attempts + go, last_attempt_at = CASE go WHEN 1 THEN now() ELSE d.last_attempt_at END,
			leased_until = CASE go WHEN 1 THEN now() + p_lease_ms * interval '1 ms' END,
			due_at = now() + go * p_lease_ms * interval '1 ms'
		  FROM judged j, LATERAL (SELECT (NOT j.silenced AND j.failure IS NULL)::integer AS go) AS g
		 WHERE d.uuid = j.uuid RETURNING d.uuid, d.attempts, d.attempts - d.spent AS tries, go = 1 AS goes, d.payload),
	begun AS (
		INSERT INTO alert_attempt (delivery_uuid, number, attempted_at)
		SELECT w.uuid, w.attempts, now() FROM written w WHERE w.goes)
	SELECT w.uuid, w.attempts, w.tries, CASE WHEN w.goes THEN j.url END, CASE WHEN w.goes THEN j.secret END, w.payload
	  FROM written w JOIN judged j USING (uuid);
END
$$;

-- What came of an attempt. False: its lease had ended, and another attempt decides. p_verdict: "delivered";
-- "retry" after p_delay_ms, unless it was the last of p_attempts; "gone", which disables the destination.
CREATE FUNCTION delivery_finish(p_delivery uuid, p_attempt bigint, p_verdict text, p_status bigint, p_failure text,
	p_delay_ms bigint, p_attempts bigint) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	to_whom uuid;
BEGIN
	UPDATE alert_attempt SET ended_at = clock_timestamp(), http_status_code = p_status, failure = p_failure
	 WHERE delivery_uuid = p_delivery AND number = p_attempt;
	UPDATE alert_delivery d SET state = CASE WHEN p_verdict = 'delivered' THEN 'delivered'
			WHEN p_verdict = 'gone' OR d.attempts - d.spent >= p_attempts THEN 'failed' ELSE 'pending' END,
		delivered_at = CASE p_verdict WHEN 'delivered' THEN clock_timestamp() END,
		http_status_code = p_status, failure = p_failure, leased_until = NULL,
		due_at = clock_timestamp() + p_delay_ms * interval '1 ms'
	 WHERE d.uuid = p_delivery AND d.attempts = p_attempt AND d.state = 'pending' RETURNING d.destination_uuid INTO to_whom;
	IF p_verdict = 'gone' THEN
		UPDATE alert_destination t SET enabled = false, updated_at = now() WHERE t.uuid = to_whom AND t.enabled;
	END IF;
	RETURN to_whom IS NOT NULL;
END
$$;

CREATE FUNCTION delivery_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY alert_work;
	RETURN NULL;
END
$$;
CREATE TRIGGER delivery_due AFTER INSERT ON alert_delivery FOR EACH STATEMENT EXECUTE FUNCTION delivery_due();

-- ---- by hand: what the API and surfacectl may do ----

-- A webhook that says it is a test, to one that may be disabled as well; null when there is none.
CREATE FUNCTION alert_destination_test(p_project uuid, p_destination uuid) RETURNS uuid LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO alert_delivery (project_uuid, kind, destination_uuid, payload)
	SELECT d.project_uuid, 'test', d.uuid, jsonb_build_object('type', 'destination.test', 'timestamp', alert_time(now()),
		'data', jsonb_build_object('project_uuid', d.project_uuid,
			'destination', jsonb_build_object('uuid', d.uuid, 'name', d.name)))::text
	  FROM alert_destination d
	 WHERE d.project_uuid = p_project AND d.uuid = p_destination AND d.deleted_at IS NULL
	RETURNING uuid
$$;

-- One that failed or was silenced becomes due, with its attempts anew and the same id; others stay as they are.
CREATE FUNCTION alert_delivery_retry(p_project uuid, p_delivery uuid) RETURNS boolean LANGUAGE plpgsql
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

-- What people did: the engine's own deliveries have their history.
CREATE TRIGGER audit_test AFTER INSERT ON alert_delivery FOR EACH ROW
	WHEN (NEW.kind = 'test') EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_retry AFTER UPDATE ON alert_delivery FOR EACH ROW
	WHEN (OLD.state <> 'pending' AND NEW.state = 'pending') EXECUTE FUNCTION audit_row('uuid');

GRANT EXECUTE ON FUNCTION alert_take, alert_defer, alert_judge, delivery_claim, delivery_finish TO surfaced_alert;
GRANT SELECT ON alert_rule_active TO surfaced_alert;
GRANT EXECUTE ON FUNCTION alert_destination_test, alert_delivery_retry TO surfaced_api, surfaced_admin;
GRANT SELECT ON alert_change TO surfaced_admin;
