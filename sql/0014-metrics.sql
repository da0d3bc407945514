-- SPDX-License-Identifier: ISC
-- What an installation counts, whichever of its programs and hosts it happens on. surfaced-meter shows it beside
-- what its host counts (src/tbl/counters.h). People look at it, nothing is decided by it: a series that is not one
-- of these is not counted, and is no error of who counts.

CREATE TABLE metric_kind (
	name text PRIMARY KEY CHECK (name ~ '^surfaced_[a-z_]+$'),
	type text NOT NULL CHECK (type IN ('counter', 'gauge', 'histogram')),
	help text NOT NULL
);
INSERT INTO metric_kind VALUES
	('surfaced_alert_changes_waiting', 'gauge', 'Changes to be judged by alert rules; 100000 stands for more'),
	('surfaced_alert_lag_seconds', 'gauge', 'Age of the oldest change that is due to be judged'),
	('surfaced_alerts_total', 'counter', 'Alerts that rules raised, raised again or cleared, and people moved'),
	('surfaced_alert_deliveries_waiting', 'gauge', 'Deliveries to be sent, or sent again; 100000 stands for more'),
	('surfaced_alert_delivery_lag_seconds', 'gauge', 'Age of the oldest delivery that is due'),
	('surfaced_alert_deliveries_total', 'counter', 'Deliveries that were made, and how they came to an end'),
	('surfaced_alert_attempts_total', 'counter', 'Attempts to deliver by their answer'),
	('surfaced_alert_retries_total', 'counter', 'Attempts to deliver that were not the first of their delivery'),
	('surfaced_sessions', 'gauge', 'Browser sessions that are not terminal by state'),
	('surfaced_sessions_created_total', 'counter', 'Browser sessions that were created'),
	('surfaced_sessions_ended_total', 'counter', 'Browser sessions that became terminal by reason'),
	('surfaced_session_requeues_total', 'counter', 'Starts of browser sessions that are to be tried again'),
	('surfaced_session_start_seconds', 'histogram', 'Time from the creation of a browser session to its first page'),
	('surfaced_streams', 'gauge', 'Live streams that are open'),
	('surfaced_streams_opened_total', 'counter', 'Live streams that were opened'),
	('surfaced_streams_refused_total', 'counter', 'Requests for a live stream that were refused'),
	('surfaced_stream_bytes_total', 'counter', 'Bytes of live streams'),
	('surfaced_egress_connections_total', 'counter', 'Attempts of browsers to connect: connected, denied by rule, failed');

-- The counters, in the order they are shown. All stand here, so that each begins at 0.
CREATE TABLE metric (
	series text PRIMARY KEY,
	kind text NOT NULL REFERENCES metric_kind,
	place integer NOT NULL,
	value double precision NOT NULL DEFAULT 0
);
INSERT INTO metric (series, kind, place)
SELECT kind || coalesce('{' || label || '="' || v || '"}', ''), kind, row_number() OVER ()
  FROM (VALUES
	('surfaced_alerts_total', 'event', '{raise,raise_again,acknowledge,close,clear,reopen}'::text[]),
	('surfaced_alert_deliveries_total', 'event', '{created,retried,delivered,failed,silenced}'),
	('surfaced_alert_attempts_total', 'answer', '{2xx,3xx,4xx,5xx,none,interrupted}'),
	('surfaced_alert_retries_total', NULL, '{NULL}'),
	('surfaced_sessions_created_total', NULL, '{NULL}'),
	('surfaced_sessions_ended_total', 'reason', '{closed_by_creator,closed_by_manager,expired,idle_timeout,failed,access_revoked}'),
	('surfaced_session_requeues_total', NULL, '{NULL}'),
	('surfaced_streams_opened_total', NULL, '{NULL}'),
	('surfaced_streams_refused_total', 'status', '{400,401,403,404,405,409,426,503}'),
	('surfaced_stream_bytes_total', 'direction', '{in,out}'),
	('surfaced_egress_connections_total', 'event', '{connected,denied,failed}')) AS rows (kind, label, list),
	unnest(list) AS v
UNION ALL
SELECT 'surfaced_session_start_seconds' || s, 'surfaced_session_start_seconds', 1000 + n
  FROM unnest('{"_bucket{le=\"1\"}","_bucket{le=\"2\"}","_bucket{le=\"5\"}","_bucket{le=\"10\"}","_bucket{le=\"20\"}","_bucket{le=\"60\"}","_bucket{le=\"300\"}","_bucket{le=\"+Inf\"}",_sum,_count}'::text[])
	WITH ORDINALITY AS t (s, n);

-- What was counted since metric_fold: rows of their own, since everybody would wait for one that all change.
CREATE TABLE metric_step (
	series text NOT NULL,
	step double precision NOT NULL
);

CREATE FUNCTION metric_add(series text[], step double precision[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO metric_step SELECT s, n FROM unnest(metric_add.series, metric_add.step) AS u (s, n)
	 WHERE n > 0 AND EXISTS (SELECT FROM metric m WHERE m.series = s)
$$;

-- Adds up. How many steps there were.
CREATE FUNCTION metric_fold(p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n bigint;
BEGIN
	IF NOT pg_try_advisory_xact_lock(hashtext('metric_fold')) THEN
		RETURN 0;
	END IF;
	WITH gone AS (DELETE FROM metric_step WHERE ctid = ANY (ARRAY(SELECT ctid FROM metric_step LIMIT p_most)) RETURNING series, step),
	added AS (UPDATE metric m SET value = m.value + g.step
		FROM (SELECT series, sum(step) AS step FROM gone GROUP BY 1) AS g WHERE m.series = g.series)
	SELECT count(*) INTO n FROM gone;
	RETURN n;
END
$$;

-- Everything as it is now, each kind together.
CREATE FUNCTION metrics_now() RETURNS TABLE (kind text, type text, help text, series text, value double precision)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
	WITH RECURSIVE sending (project, due_at) AS (
		(SELECT project_uuid, due_at FROM alert_delivery WHERE state = 'pending' ORDER BY project_uuid, due_at LIMIT 1)
		UNION ALL
		SELECT n.* FROM sending s, LATERAL (SELECT d.project_uuid, d.due_at FROM alert_delivery d
			WHERE d.state = 'pending' AND d.project_uuid > s.project ORDER BY d.project_uuid, d.due_at LIMIT 1) AS n),
	seen (kind, place, series, value) AS (
		SELECT m.kind, m.place, m.series, m.value + coalesce(t.step, 0)
		  FROM metric m LEFT JOIN (SELECT y.series, sum(y.step) AS step FROM metric_step y GROUP BY 1) AS t USING (series)
		UNION ALL
		SELECT 'surfaced_sessions', n, format('surfaced_sessions{state="%s"}', state),
			(SELECT count(*) FROM browser_session b WHERE b.state <> 'terminal' AND b.state = t.state)
		  FROM unnest('{queued,starting,running,closing}'::text[]) WITH ORDINALITY AS t (state, n)
		UNION ALL
		SELECT name, 0, name, v FROM (VALUES
			('surfaced_alert_changes_waiting', (SELECT count(*) FROM (SELECT FROM alert_change LIMIT 100000) AS c)::double precision),
			('surfaced_alert_lag_seconds', greatest(0, extract(epoch FROM now() - (SELECT min(due_at) FROM alert_change_waiting)))),
			('surfaced_alert_deliveries_waiting',
				(SELECT count(*) FROM (SELECT FROM alert_delivery WHERE state = 'pending' LIMIT 100000) AS d)),
			('surfaced_alert_delivery_lag_seconds', greatest(0, extract(epoch FROM now() - (SELECT min(due_at) FROM sending)))),
			('surfaced_streams', (SELECT count(*) FROM stream_slot o JOIN stream_proxy p ON p.uuid = o.proxy_uuid
				WHERE p.lease_until > now()))) AS g (name, v))
	SELECT k.name, k.type, k.help, s.series, s.value FROM metric_kind k JOIN seen s ON s.kind = k.name ORDER BY k.name, s.place
$$;

-- ---- what the database sees itself ----

CREATE FUNCTION metric_alert() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alerts_total{event="' || CASE WHEN TG_OP = 'INSERT' THEN 'raise'
		WHEN OLD.state IS DISTINCT FROM NEW.state THEN NEW.state_event ELSE 'raise_again' END || '"}'], '{1}');
	RETURN NULL;
END
$$;
CREATE TRIGGER metric_raise AFTER INSERT ON alert FOR EACH ROW EXECUTE FUNCTION metric_alert();
CREATE TRIGGER metric_change AFTER UPDATE ON alert FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state OR NEW.raised_count > OLD.raised_count) EXECUTE FUNCTION metric_alert();

CREATE FUNCTION metric_delivery() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alert_deliveries_total{event="' || CASE WHEN TG_OP = 'INSERT' THEN 'created'
		WHEN NEW.state = 'pending' THEN 'retried' ELSE NEW.state END || '"}'], '{1}');
	RETURN NULL;
END
$$;
CREATE TRIGGER metric_made AFTER INSERT ON alert_delivery FOR EACH ROW EXECUTE FUNCTION metric_delivery();
CREATE TRIGGER metric_change AFTER UPDATE ON alert_delivery FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION metric_delivery();

-- One that was cut off is known later, by who takes it up again.
CREATE FUNCTION metric_attempt() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alert_attempts_total{answer="' || CASE WHEN NEW.ended_at IS NULL THEN 'interrupted'
		ELSE coalesce(NEW.http_status_code / 100 || 'xx', 'none') END || '"}', 'surfaced_alert_retries_total'],
		ARRAY[1, (NEW.number > 1)::integer]);
	RETURN NULL;
END
$$;
CREATE TRIGGER metric_end AFTER UPDATE ON alert_attempt FOR EACH ROW
	WHEN (OLD.ended_at IS NULL AND OLD.failure IS NULL AND (NEW.ended_at IS NOT NULL OR NEW.failure IS NOT NULL))
	EXECUTE FUNCTION metric_attempt();

CREATE FUNCTION metric_session() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	took double precision := extract(epoch FROM NEW.ready_at - NEW.created_at);
BEGIN
	IF TG_OP = 'INSERT' THEN
		PERFORM metric_add('{surfaced_sessions_created_total}', '{1}');
	ELSIF NEW.state = 'terminal' THEN
		PERFORM metric_add(ARRAY['surfaced_sessions_ended_total{reason="' || NEW.terminal_reason || '"}'], '{1}');
	ELSIF NEW.state = 'queued' THEN
		PERFORM metric_add('{surfaced_session_requeues_total}', '{1}');
	ELSIF NEW.state = 'running' THEN
		INSERT INTO metric_step
		SELECT series, CASE WHEN series = 'surfaced_session_start_seconds_sum' THEN took ELSE 1 END FROM metric
		 WHERE kind = 'surfaced_session_start_seconds'
		   AND coalesce(took <= substring(series FROM 'le="([0-9]+)"')::double precision, true);
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER metric_create AFTER INSERT ON browser_session FOR EACH ROW EXECUTE FUNCTION metric_session();
CREATE TRIGGER metric_move AFTER UPDATE ON browser_session FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION metric_session();

GRANT EXECUTE ON FUNCTION metrics_now TO surfaced_meter;
GRANT EXECUTE ON FUNCTION metric_fold TO surfaced_alert;
GRANT EXECUTE ON FUNCTION metric_add TO surfaced_stream, surfaced_dispatch;
GRANT SELECT ON metric_kind, metric, metric_step TO surfaced_admin;
