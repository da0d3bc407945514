-- SPDX-License-Identifier: ISC
-- Counters of the whole installation. Programs add steps to metric_step, since an UPDATE of one row would
-- make them wait for one another; metric_fold adds the steps up.

-- Adds steps to counters. A series that is not in the table metric is ignored, so that a program of a newer
-- release, which counts a new series, does not fail.
CREATE OR REPLACE FUNCTION metric_add(series text[], step double precision[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO metric_step SELECT s, n FROM unnest(metric_add.series, metric_add.step) AS u (s, n)
	 WHERE n > 0 AND EXISTS (SELECT FROM metric m WHERE m.series = s)
$$;

-- Counts an import that ended; result: complete, bad or failed.
CREATE OR REPLACE FUNCTION import_ended(of_kind text, result text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO import_last (kind, at) SELECT of_kind, now() WHERE result <> 'failed'
	ON CONFLICT (kind) DO UPDATE SET at = now();
	SELECT metric_add(ARRAY['surfaced_imports_total{result="' || result || '"}'], '{1}');
$$;

-- Adds up at most p_most steps and returns how many there were.
CREATE OR REPLACE FUNCTION metric_fold(p_most bigint) RETURNS bigint LANGUAGE plpgsql
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

-- All metrics of the installation, those of one kind together.
CREATE OR REPLACE FUNCTION metrics_now() RETURNS TABLE (kind text, type text, help text, series text, value double precision)
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
		SELECT 'surfaced_exports', n, format('surfaced_exports{state="%s"}', state),
			(SELECT count(*) FROM search_export e WHERE e.state IN ('queued', 'running') AND e.state = t.state)
		  FROM unnest('{queued,running}'::text[]) WITH ORDINALITY AS t (state, n)
		UNION ALL
		SELECT CASE WHEN clickhouse THEN 'surfaced_search_feed_age_seconds' ELSE 'surfaced_index_age_seconds' END, f.dataset,
			CASE WHEN clickhouse THEN format('surfaced_search_feed_age_seconds{dataset="%s"}', d.name)
				ELSE format('surfaced_index_age_seconds{index="%s",dataset="%s"}', translate(f.engine, E'"\\\n', '___'), d.name) END,
			greatest(0, extract(epoch FROM now() - f.at))
		  FROM search_feed f CROSS JOIN LATERAL (SELECT f.engine LIKE 'clickhouse:%' AS clickhouse) AS k
			JOIN unnest('{hosts,services,dns,whois,certificates,reports,open-directories}'::text[])
			WITH ORDINALITY AS d (name, n) ON d.n = f.dataset
		UNION ALL
		SELECT 'surfaced_import_age_seconds', 0, format('surfaced_import_age_seconds{kind="%s"}', i.kind),
			greatest(0, extract(epoch FROM now() - i.at))
		  FROM import_last i
		UNION ALL
		SELECT name, 0, name, v FROM (VALUES
			('surfaced_export_lag_seconds', greatest(0, extract(epoch FROM now() - (SELECT min(created_at) FROM search_export
				WHERE state IN ('queued', 'running') AND state = 'queued')))::double precision),
			('surfaced_detect_lag_seconds', greatest(0, extract(epoch FROM now() - detector_followed()))),
			('surfaced_detect_work_waiting', (SELECT count(*) FROM (SELECT FROM (SELECT due_at FROM detect_work
				UNION ALL SELECT due_at FROM detector_work) AS w WHERE w.due_at <= now() LIMIT 100000) AS l)),
			('surfaced_rules_failed', (SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live AND state = 'failed')),
			('surfaced_alert_changes_waiting', (SELECT count(*) FROM (SELECT FROM alert_change LIMIT 100000) AS c)::double precision),
			('surfaced_alert_lag_seconds', greatest(0, extract(epoch FROM now() - (SELECT min(due_at) FROM alert_change_waiting)))),
			('surfaced_alert_deliveries_waiting',
				(SELECT count(*) FROM (SELECT FROM alert_delivery WHERE state = 'pending' LIMIT 100000) AS d)),
			('surfaced_alert_delivery_lag_seconds', greatest(0, extract(epoch FROM now() - (SELECT min(due_at) FROM sending)))),
			('surfaced_streams', (SELECT count(*) FROM stream_slot o JOIN stream_proxy p ON p.uuid = o.proxy_uuid
				WHERE p.lease_until > now()))) AS g (name, v))
	SELECT k.name, k.type, k.help, s.series, s.value FROM metric_kind k JOIN seen s ON s.kind = k.name ORDER BY k.name, s.place
$$;

GRANT EXECUTE ON FUNCTION metric_add TO surfaced_dispatch, surfaced_stream, surfaced_index;
GRANT EXECUTE ON FUNCTION import_ended TO surfaced_admin;
GRANT EXECUTE ON FUNCTION metric_fold TO surfaced_alert;
GRANT EXECUTE ON FUNCTION metrics_now TO surfaced_meter;
