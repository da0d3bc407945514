-- SPDX-License-Identifier: ISC
-- Dashboards: present counts, changes by day, and the exposure score (C-202 to C-207).
--
--   finding -------------------------------------> dashboard          counts of now
--   finding_event --> esi_days --> dashboard_fill --> esi_daily, exposure_daily     past days, once each
--                        |                                 |
--                        +--- days that are not written ---+--> dashboard_days
--
-- An active finding is open or acknowledged. The score of points p is 100 (1 - e^(-p/200)): 0 is best, and each further
-- finding counts less. A finding has the weight of its severity, times its confidence if it has one.

CREATE OR REPLACE FUNCTION exposure_score(points double precision) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	-- exp() fails below e^-700
	SELECT round(100 * (1 - exp(-least(greatest(points, 0), 100000) / 200)))::integer
$$;

CREATE OR REPLACE FUNCTION exposure_version() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT max(version) FROM exposure_weight
$$;

-- {"critical": n, ..., "info": n} of an array of severities and one of numbers.
CREATE OR REPLACE FUNCTION dashboard_severities(severities text[], numbers numeric[]) RETURNS json
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT json_object_agg(s, coalesce(n, 0) ORDER BY place)
	  FROM unnest('{critical,high,medium,low,info}'::text[]) WITH ORDINALITY AS all_of (s, place)
	LEFT JOIN (SELECT v.s, sum(v.n) AS n FROM unnest(severities, numbers) AS v(s, n) GROUP BY 1) AS given USING (s)
$$;

-- The days of a project behind `base`, a day that is written (null: none is), up to `last`. An event changes the numbers of
-- its day by comparison with the event before it:
--
--   before    event       new  reopened  closed or cleared
--   none      active       1
--   active    not active                 1    closed: a person's move
--   not       active            1
CREATE OR REPLACE FUNCTION esi_days(project uuid, base date, last date) RETURNS TABLE (day date, finding_type text,
	severity text, active bigint, new bigint, closed bigint, reopened bigint, cleared bigint, points double precision)
	LANGUAGE sql STABLE ROWS 1000 AS $$
	WITH weight AS MATERIALIZED (SELECT w.severity, w.weight FROM exposure_weight w WHERE w.version = exposure_version()),
	later AS (
		SELECT e.id, e.finding_uuid, (e.at AT TIME ZONE 'UTC')::date AS day, e.to_status, e.severity, e.confidence,
		       e.membership_uuid, lag(row(e.to_status, e.severity, e.confidence)::finding_stand) OVER w AS before,
		       row_number() OVER w AS n
		  FROM finding_event e
		 WHERE e.project_uuid = project AND e.at < (last + 1) AT TIME ZONE 'UTC'
		   AND e.at >= coalesce((base + 1) AT TIME ZONE 'UTC', '-infinity')
		WINDOW w AS (PARTITION BY e.finding_uuid ORDER BY e.at, e.id)),
	-- If there is a base, the event before the first one of a finding is read from before the
	-- base.
	event AS (
		SELECT l.day, f.finding_type, l.severity, (p.stand).severity AS former,
		       l.to_status IN ('open', 'acknowledged') AS stands, (p.stand).to_status IS NULL AS first,
		       coalesce((p.stand).to_status IN ('open', 'acknowledged'), false) AS stood,
		       l.membership_uuid IS NOT NULL AS by_person,
		       w.weight * coalesce(l.confidence, 1) AS points, v.weight * coalesce((p.stand).confidence, 1) AS former_points
		  FROM later l JOIN finding f ON f.uuid = l.finding_uuid
		  CROSS JOIN LATERAL (SELECT CASE WHEN l.n > 1 OR base IS NULL THEN l.before ELSE (
			SELECT row(b.to_status, b.severity, b.confidence)::finding_stand FROM finding_event b
			 WHERE b.finding_uuid = l.finding_uuid AND b.at < (base + 1) AT TIME ZONE 'UTC'
			 ORDER BY b.at DESC, b.id DESC LIMIT 1) END AS stand) AS p
		  JOIN weight w ON w.severity = l.severity LEFT JOIN weight v ON v.severity = (p.stand).severity),
	change AS (
		SELECT day, finding_type, severity, 1 AS active, (first)::integer AS new, 0 AS closed,
		       (NOT first AND NOT stood)::integer AS reopened, 0 AS cleared, points
		  FROM event WHERE stands
		UNION ALL
		SELECT day, finding_type, former, -1, 0, (NOT stands AND by_person)::integer, 0, (NOT stands AND NOT by_person)::integer,
		       -former_points
		  FROM event WHERE stood
		UNION ALL
		SELECT d.day, d.finding_type, d.severity, d.active, 0, 0, 0, 0, d.points
		  FROM esi_daily d WHERE d.project_uuid = project AND d.day = base),
	daily AS (
		SELECT c.day, c.finding_type, c.severity, sum(active) AS active, sum(new) AS new, sum(closed) AS closed,
		       sum(reopened) AS reopened, sum(cleared) AS cleared, sum(points) AS points
		  FROM change c GROUP BY 1, 2, 3),
	sorts AS (SELECT finding_type, severity, min(day) AS begin FROM daily GROUP BY 1, 2),
	running AS (
		SELECT s.day::date AS day, t.finding_type, t.severity, coalesce(new, 0) AS new, coalesce(closed, 0) AS closed,
		       coalesce(reopened, 0) AS reopened, coalesce(cleared, 0) AS cleared,
		       sum(coalesce(active, 0)) OVER w AS active, sum(coalesce(points, 0)) OVER w AS points
		  FROM sorts t CROSS JOIN LATERAL generate_series(t.begin::timestamp, last::timestamp, '1 day') AS s(day)
		  LEFT JOIN daily d ON d.day = s.day AND (d.finding_type, d.severity) = (t.finding_type, t.severity)
		WINDOW w AS (PARTITION BY t.finding_type, t.severity ORDER BY s.day))
	SELECT day, finding_type, severity, active::bigint, new, closed, reopened, cleared,
	       CASE active WHEN 0 THEN 0 ELSE round(points::numeric, 6)::double precision END
	  FROM running
	 WHERE day > coalesce(base, '-infinity') AND (active, new, closed, reopened, cleared) <> (0, 0, 0, 0, 0)
$$;

-- Returns the last stored day of a project, or null.
CREATE OR REPLACE FUNCTION dashboard_written(project uuid) RETURNS date LANGUAGE sql STABLE AS $$
	SELECT max(day) FROM exposure_daily WHERE project_uuid = project
$$;

-- Stores the missing ended days of one project, in their order, and deletes days of three years
-- ago. Returns the number of stored days.
CREATE OR REPLACE FUNCTION dashboard_fill_project(project uuid, today date) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	base date := dashboard_written(project);
	first date := coalesce(base + 1, (SELECT (least(p.created_at, (SELECT min(e.at) FROM finding_event e
		WHERE e.project_uuid = project)) AT TIME ZONE 'UTC')::date FROM project p WHERE p.uuid = project));
	n bigint;
BEGIN
	INSERT INTO esi_daily (project_uuid, day, finding_type, severity, active, new, closed, reopened, cleared, points)
	SELECT project, d.day, d.finding_type, d.severity, d.active, d.new, d.closed, d.reopened, d.cleared, d.points
	  FROM esi_days(project, base, today - 1) AS d;
	INSERT INTO exposure_daily (project_uuid, day, points, version)
	SELECT project, s.day::date, (SELECT coalesce(sum(d.points), 0) FROM esi_daily d WHERE d.project_uuid = project
		AND d.day = s.day), exposure_version()
	  FROM generate_series(first::timestamp, (today - 1)::timestamp, '1 day') AS s(day);
	GET DIAGNOSTICS n = ROW_COUNT;
	DELETE FROM esi_daily d WHERE d.project_uuid = project AND d.day < today - 1100;
	DELETE FROM exposure_daily d WHERE d.project_uuid = project AND d.day < today - 1100;
	RETURN n;
END
$$;

-- Whether all transactions that may contain an event of an earlier day have ended. An event has the
-- time at which it was written, and its transaction has its number by then. The first call on a day
-- stores its own number, which is larger than all of theirs. The upper end of a snapshot would not
-- do, because a running transaction may be above it.
CREATE OR REPLACE FUNCTION dashboard_day_complete(today date) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM dashboard_horizon h WHERE h.day = today) THEN
		INSERT INTO dashboard_horizon VALUES (today, pg_current_xact_id()) ON CONFLICT DO NOTHING;
	END IF;
	DELETE FROM dashboard_horizon WHERE day < today;
	RETURN EXISTS (SELECT FROM dashboard_horizon h WHERE h.day = today
		AND pg_snapshot_xmin(pg_current_snapshot()) >= h.horizon);
END
$$;

-- Stores the missing days of at most p_most projects. surfaced-detect calls it. Returns the number
-- of stored days.
CREATE OR REPLACE FUNCTION dashboard_fill(p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	today date := (now() AT TIME ZONE 'UTC')::date;
	p uuid;
	n bigint := 0;
BEGIN
	IF NOT dashboard_day_complete(today) THEN
		RETURN 0;
	END IF;
	FOR p IN SELECT v.uuid FROM project v
		 WHERE (v.created_at AT TIME ZONE 'UTC')::date < today
		   AND NOT EXISTS (SELECT FROM exposure_daily s WHERE s.project_uuid = v.uuid AND s.day = today - 1)
		 ORDER BY v.uuid LIMIT p_most FOR NO KEY UPDATE SKIP LOCKED
	LOOP
		n := n + dashboard_fill_project(p, today);
	END LOOP;
	RETURN n;
END
$$;

-- The findings of the projects by day, for a number of days until today, stored or computed.
CREATE OR REPLACE FUNCTION dashboard_types(projects uuid[], days integer) RETURNS TABLE (project_uuid uuid, day date,
	finding_type text, severity text, active bigint, new bigint, closed bigint, reopened bigint, cleared bigint,
	points double precision) LANGUAGE sql STABLE ROWS 1000 AS $$
	WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
	-- As an argument of esi_days, the call would be repeated for each event.
	stored AS MATERIALIZED (SELECT p AS project, dashboard_written(p) AS base FROM unnest(projects) AS p)
	SELECT d.project_uuid, d.day, d.finding_type, d.severity, d.active, d.new, d.closed, d.reopened, d.cleared, d.points
	  FROM esi_daily d, today WHERE d.project_uuid = ANY (projects) AND d.day > today.day - days
	UNION ALL
	SELECT s.project, d.day, d.finding_type, d.severity, d.active, d.new, d.closed, d.reopened, d.cleared, d.points
	  FROM today, stored AS s, esi_days(s.project, s.base, today.day) AS d
	 WHERE d.day > today.day - days
$$;

-- Returns exactly this number of days until today, oldest first. Today is partial.
CREATE OR REPLACE FUNCTION dashboard_days(projects uuid[], days integer) RETURNS TABLE (date text, partial boolean,
	new bigint, closed bigint, reopened bigint, cleared bigint, open json, score bigint, assets bigint, services bigint)
	LANGUAGE sql STABLE ROWS 180 SET jit = off AS $$
	WITH types AS MATERIALIZED (SELECT * FROM dashboard_types(projects, days)),
	today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
	day AS (SELECT g::date AS day, g::date = t.day AS is_today
		  FROM today t, generate_series((t.day - days + 1)::timestamp, t.day::timestamp, '1 day') AS g),
	found AS (SELECT t.day, sum(new)::bigint AS new, sum(closed)::bigint AS closed, sum(reopened)::bigint AS reopened,
		       sum(cleared)::bigint AS cleared, sum(points) AS points,
		       dashboard_severities(array_agg(severity), array_agg(active::numeric)) AS open
		  FROM types t GROUP BY 1),
	grown AS (SELECT greatest((created_at AT TIME ZONE 'UTC')::date, today.day - days + 1) AS day,
		       count(*) FILTER (WHERE is_asset) AS assets, count(*) FILTER (WHERE NOT is_asset) AS services
		  FROM today, (SELECT created_at, true AS is_asset FROM asset WHERE project_uuid = ANY (projects)
			UNION ALL SELECT created_at, false FROM asset_service WHERE project_uuid = ANY (projects)) AS made GROUP BY 1)
	SELECT to_char(d.day, 'YYYY-MM-DD'), d.is_today, coalesce(f.new, 0), coalesce(f.closed, 0), coalesce(f.reopened, 0),
	       coalesce(f.cleared, 0), coalesce(f.open, dashboard_severities('{}', '{}')),
	       exposure_score(coalesce(f.points, 0))::bigint,
	       (sum(coalesce(g.assets, 0)) OVER w)::bigint, (sum(coalesce(g.services, 0)) OVER w)::bigint
	  FROM day d LEFT JOIN found f USING (day) LEFT JOIN grown g USING (day) WINDOW w AS (ORDER BY d.day)
	 ORDER BY d.day
$$;

-- Counts the present findings of the projects by kind, from the index finding_counts alone.
CREATE OR REPLACE FUNCTION dashboard_sorts(projects uuid[]) RETURNS TABLE (project_uuid uuid, finding_type text,
	severity text, status text, n bigint, stale bigint, points double precision, open_days double precision)
	LANGUAGE sql STABLE ROWS 100 AS $$
	SELECT s.project_uuid, s.finding_type, s.severity, s.status, s.n, s.stale, w.weight * s.certain, s.open_days
	  FROM (SELECT f.project_uuid, f.finding_type, f.severity, f.status, count(*) AS n,
		       count(*) FILTER (WHERE finding_is_stale(f.last_seen_at)) AS stale, sum(coalesce(f.confidence, 1)) AS certain,
		       sum(date_part('epoch', now()) - date_part('epoch', f.first_seen_at)) / 86400 AS open_days
		  FROM finding f WHERE f.project_uuid = ANY (projects) GROUP BY 1, 2, 3, 4) AS s
	  JOIN exposure_weight w ON w.version = exposure_version() AND w.severity = s.severity
$$;

-- The assets with the most points, best known first by their score.
CREATE OR REPLACE FUNCTION dashboard_top_assets(projects uuid[], most bigint) RETURNS TABLE (asset_uuid uuid, kind text,
	name text, score bigint, open json) LANGUAGE sql STABLE ROWS 10 SET jit = off AS $$
	WITH top AS (SELECT f.asset_uuid, sum(w.weight * coalesce(f.confidence, 1)) AS points,
		       count(*) FILTER (WHERE f.severity = 'critical') AS critical, count(*) FILTER (WHERE f.severity = 'high') AS high,
		       count(*) FILTER (WHERE f.severity = 'medium') AS medium, count(*) FILTER (WHERE f.severity = 'low') AS low,
		       count(*) FILTER (WHERE f.severity = 'info') AS info
		  FROM finding f JOIN exposure_weight w ON w.version = exposure_version() AND w.severity = f.severity
		 WHERE f.project_uuid = ANY (projects) AND f.status IN ('open', 'acknowledged') AND f.asset_uuid IS NOT NULL
		 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT most)
	SELECT t.asset_uuid, a.kind, a.name, exposure_score(t.points)::bigint, json_build_object('critical', t.critical,
		'high', t.high, 'medium', t.medium, 'low', t.low, 'info', t.info)
	  FROM top t JOIN asset a ON a.uuid = t.asset_uuid ORDER BY t.points DESC, t.asset_uuid
$$;

-- The number of sessions that an organisation may run at a time (C-090).
CREATE OR REPLACE FUNCTION session_limit(account uuid) RETURNS bigint LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT coalesce(max_active, organisation_sessions)::bigint FROM session_policy LEFT JOIN session_organisation
		ON account_uuid = account
$$;

-- The answer without its quota. days: the length of the window, which ends now.
CREATE OR REPLACE FUNCTION dashboard(projects uuid[], days integer) RETURNS TABLE (as_of timestamptz, findings json,
	change json, exposure json, mean_open_days json, surface json, alerts json, sessions json, projects_open json)
	LANGUAGE sql STABLE ROWS 1 SET jit = off AS $$
	WITH sort AS MATERIALIZED (SELECT * FROM dashboard_sorts(projects)),
	active AS (SELECT * FROM sort WHERE status IN ('open', 'acknowledged')),
	past AS MATERIALIZED (SELECT * FROM dashboard_types(projects, days + 1)),
	today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day, date_trunc('day', now(), 'UTC') - (days - 1) * interval '1 day' AS begin),
	types AS (SELECT finding_type, sum(n) AS n FROM active GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50),
	parts AS (SELECT finding_type, severity, sum(n) AS n, sum(points) AS points FROM active WHERE points > 0 GROUP BY 1, 2
		ORDER BY 4 DESC, 1, 2 LIMIT 50)
	SELECT now(),
	json_build_object('open', coalesce((SELECT sum(n) FROM active WHERE status = 'open'), 0),
		'acknowledged', coalesce((SELECT sum(n) FROM active WHERE status = 'acknowledged'), 0),
		'by_severity', (SELECT dashboard_severities(array_agg(severity), array_agg(n::numeric)) FROM active),
		'by_type', (SELECT coalesce(json_agg(json_build_object('finding_type', finding_type, 'count', n)
			ORDER BY n DESC, finding_type), '[]') FROM types),
		'by_status', (SELECT json_object_agg(s, coalesce((SELECT sum(n) FROM sort WHERE status = s), 0))
			FROM unnest('{open,acknowledged,accepted_risk,false_positive,resolved}'::text[]) AS s),
		'stale', coalesce((SELECT sum(stale) FROM active), 0)),
	(SELECT json_build_object('new', coalesce(sum(new), 0), 'closed', coalesce(sum(closed), 0),
		'reopened', coalesce(sum(reopened), 0), 'cleared', coalesce(sum(cleared), 0),
		'by_severity', dashboard_severities(array_agg(severity), array_agg(new + reopened - closed - cleared)))
	   FROM past, today WHERE past.day > today.day - days),
	(SELECT json_build_object('score', exposure_score(coalesce((SELECT sum(points) FROM active), 0)),
		'previous', exposure_score(coalesce((SELECT sum(points) FROM past WHERE past.day = today.day - days), 0)),
		'version', exposure_version(),
		'parts', (SELECT coalesce(json_agg(json_build_object('finding_type', finding_type, 'severity', severity, 'count', n,
			'points', round(points::numeric, 3)) ORDER BY points DESC, finding_type, severity), '[]') FROM parts))
	   FROM today),
	(SELECT json_build_object('overall', round((sum(open_days) / nullif(sum(n), 0))::numeric, 3),
		'by_severity', (SELECT json_object_agg(s, (SELECT round((sum(open_days) / nullif(sum(n), 0))::numeric, 3)
			FROM active a WHERE a.severity = s)) FROM unnest('{critical,high,medium,low,info}'::text[]) AS s))
	   FROM active),
	(SELECT json_build_object('assets', count(a.uuid),
		'services', (SELECT count(*) FROM asset_service s WHERE s.project_uuid = ANY (projects)),
		'by_kind', json_build_object('domain', count(*) FILTER (WHERE kind = 'domain'), 'host', count(*) FILTER (WHERE kind = 'host'),
			'certificate', count(*) FILTER (WHERE kind = 'certificate'), 'address', count(*) FILTER (WHERE kind = 'address')),
		'new', count(*) FILTER (WHERE a.created_at >= today.begin),
		'gone', count(*) FILTER (WHERE a.last_seen_at + interval '30 days' >= today.begin AND finding_is_stale(a.last_seen_at)))
	   FROM today LEFT JOIN asset a ON a.project_uuid = ANY (projects)),
	(SELECT json_build_object('open', count(*) FILTER (WHERE state = 'open'),
		'acknowledged', count(*) FILTER (WHERE state = 'acknowledged'),
		'deliveries_failed', (SELECT count(*) FROM alert_delivery d, today WHERE d.project_uuid = ANY (projects)
			AND d.state = 'failed' AND d.created_at >= today.begin),
		'silenced_rules', (SELECT count(*) FROM alert_rule r WHERE r.project_uuid = ANY (projects) AND r.deleted_at IS NULL
			AND alert_rule_silenced(r.uuid, now())))
	   FROM alert WHERE project_uuid = ANY (projects) AND state <> 'closed'),
	(SELECT json_build_object('queued', count(*) FILTER (WHERE state = 'queued'),
		'starting', count(*) FILTER (WHERE state = 'starting'), 'running', count(*) FILTER (WHERE state = 'running'),
		'closing', count(*) FILTER (WHERE state = 'closing'),
		'limit', (SELECT session_limit(p.account_uuid) FROM project p WHERE p.uuid = ANY (projects) LIMIT 1))
	   FROM browser_session WHERE project_uuid = ANY (projects) AND state <> 'terminal'),
	(SELECT coalesce(json_agg(json_build_object('project_uuid', p.uuid, 'name', p.name, 'score', exposure_score(coalesce(c.points, 0)),
		'open', coalesce(c.open, dashboard_severities('{}', '{}')), 'alerts', coalesce(l.n, 0), 'assets', coalesce(a.n, 0),
		'sessions', coalesce(b.n, 0)) ORDER BY c.points DESC NULLS LAST, p.uuid), '[]')
	   FROM (SELECT uuid, name FROM project WHERE uuid = ANY (projects) ORDER BY uuid LIMIT 1000) AS p
	   LEFT JOIN (SELECT project_uuid, sum(points) AS points,
		dashboard_severities(array_agg(severity), array_agg(n::numeric)) AS open FROM active GROUP BY 1) AS c
		ON c.project_uuid = p.uuid
	   LEFT JOIN (SELECT project_uuid, count(*) AS n FROM alert WHERE project_uuid = ANY (projects) AND state = 'open' GROUP BY 1) AS l
		ON l.project_uuid = p.uuid
	   LEFT JOIN (SELECT project_uuid, count(*) AS n FROM asset WHERE project_uuid = ANY (projects) GROUP BY 1) AS a
		ON a.project_uuid = p.uuid
	   LEFT JOIN (SELECT project_uuid, count(*) AS n FROM browser_session WHERE project_uuid = ANY (projects)
		AND state <> 'terminal' GROUP BY 1) AS b ON b.project_uuid = p.uuid)
$$;

GRANT EXECUTE ON FUNCTION exposure_score, exposure_version, dashboard_severities, esi_days, dashboard_written, dashboard_types,
	dashboard_days, dashboard_sorts, dashboard_top_assets, session_limit, dashboard TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION dashboard_fill TO surfaced_detect;
