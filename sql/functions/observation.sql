-- SPDX-License-Identifier: ISC
-- Reads observations of detection rules. Each function takes the reading key and derives the
-- account and the projects from it, so that no caller can combine an account with the rights of
-- another key.
--
--     rules_observed   own rules and those of the catalogue, with the account's settings
--     observed_runs    the run of each of them whose observations the account reads: its own run, where an exclude of
--                      its own or the scope surface has made one, or else the run that accounts share
--
-- A rule of the catalogue that the account has not enabled has no run here, so that no account
-- learns what others watch (C-158). Observations with a project are returned to keys that see the
-- project.

-- Whether an account has findings, so that rules of the catalogue that make findings are on without a setting.
CREATE OR REPLACE FUNCTION account_finds(account uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM entitlement AS e WHERE e.account_uuid = account AND e.name = 'esi'
		AND (e.expires_at IS NULL OR e.expires_at > now()))
$$;

-- Whether a rule is on for an account. setting: what the account has chosen, or null. owner: of the rule, null for a rule
-- of the catalogue. finds: account_finds. detect_wanted decides the same for all accounts at once.
CREATE OR REPLACE FUNCTION rule_is_on(setting boolean, owner uuid, scope text, produces json, finds boolean)
	RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(setting, owner IS NOT NULL OR finds AND detect_is_common(owner, scope, produces))
$$;

-- The rules that a key sees. account_uuid: null for a rule of the catalogue. A key that is limited
-- to projects sees rules whose settings name one of its projects or no project.
CREATE OR REPLACE FUNCTION rules_observed(key uuid) RETURNS TABLE (rule_uuid uuid, account_uuid uuid, scope text, dataset text,
	severity text, tags text[], techniques text[], enabled boolean, deleted boolean, excludes boolean) LANGUAGE sql STABLE AS $$
	SELECT r.uuid, r.account_uuid, r.scope, r.dataset, coalesce(s.severity, r.severity), r.tags, r.techniques,
		rule_is_on(s.enabled, r.account_uuid, r.scope, r.produces,
			(SELECT account_finds(k.account_uuid) FROM api_key AS k WHERE k.uuid = key)),
		r.deleted_at IS NOT NULL, coalesce(s.exclude, '') <> ''
	  FROM rule AS r LEFT JOIN rule_setting AS s ON s.rule_uuid = r.uuid
	   AND s.account_uuid = (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key)
	 WHERE (r.account_uuid IS NULL OR r.account_uuid = (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key))
	   AND (coalesce(s.project_uuids, '{}') = '{}' OR (SELECT key_is_limited(key)) IS FALSE
		OR s.project_uuids && ARRAY(SELECT v.uuid FROM visible_projects(key) AS v))
$$;

CREATE OR REPLACE FUNCTION observed_runs(key uuid) RETURNS TABLE (run_uuid uuid, rule_uuid uuid, scope text, dataset text,
	severity text, tags text[], active_count bigint) LANGUAGE sql STABLE AS $$
	SELECT run.uuid, s.rule_uuid, s.scope, s.dataset, s.severity, s.tags, run.active_count
	  FROM rules_observed(key) AS s JOIN rule_run AS run ON run.rule_uuid = s.rule_uuid
	   AND run.account_uuid IS NOT DISTINCT FROM CASE WHEN s.scope = 'surface' OR s.excludes
		THEN (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key) END
	 WHERE s.account_uuid IS NOT NULL OR s.enabled
$$;

-- Returns the name of a dataset in rules for its number in src/tbl/datasets.h.
CREATE OR REPLACE FUNCTION observed_dataset(number smallint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE number WHEN 1 THEN 'hosts' WHEN 2 THEN 'services' WHEN 3 THEN 'dns' WHEN 4 THEN 'whois'
		WHEN 5 THEN 'certificates' WHEN 7 THEN 'open_directories' END
$$;

-- A page of observations behind the position (behind, behind_uuid), newest first. The filters combine by AND; null: any.
-- Each run gives at most the rows of a page, from the index of its filter, so the cost follows the number of rules and
-- not of observations. A rule that is a draft may change its dataset: rule_version knows the former ones.
CREATE OR REPLACE FUNCTION observation_page(key uuid, behind timestamptz, behind_uuid uuid, want bigint, is_rule uuid,
	is_tag text, is_state text, is_severity text, is_dataset text, is_ip text)
	RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
	mine uuid[] := ARRAY(SELECT v.uuid FROM visible_projects(key) AS v);
	runs uuid[] := ARRAY(SELECT s.run_uuid FROM observed_runs(key) AS s
		WHERE (is_rule IS NULL OR s.rule_uuid = is_rule)
		  AND (is_tag IS NULL OR is_tag = ANY (s.tags))
		  AND (is_severity IS NULL OR s.severity = is_severity)
		  AND (is_dataset IS NULL OR s.dataset = is_dataset OR EXISTS (SELECT FROM rule_version AS v
			WHERE v.rule_uuid = s.rule_uuid AND v.dataset = is_dataset)));
BEGIN
	IF is_ip IS NOT NULL THEN
		RETURN QUERY
		SELECT o.uuid FROM rule_observation AS o
		 WHERE o.record ->> 'ip' = is_ip AND o.run_uuid = ANY (runs)
		   AND (o.project_uuid IS NULL OR o.project_uuid = ANY (mine))
		   AND (is_state IS NULL OR o.state = is_state)
		   AND (is_dataset IS NULL OR observed_dataset(o.dataset) = is_dataset)
		   AND (behind IS NULL OR o.created_at <= behind AND (o.created_at < behind OR o.uuid > behind_uuid))
		 ORDER BY o.created_at DESC, o.uuid LIMIT want;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT page.uuid FROM unnest(runs) AS run (uuid) CROSS JOIN LATERAL (
		SELECT o.uuid, o.created_at FROM rule_observation AS o
		 WHERE o.run_uuid = run.uuid
		   AND (o.project_uuid IS NULL OR o.project_uuid = ANY (mine))
		   AND (is_state IS NULL OR o.state = is_state)
		   AND (is_dataset IS NULL OR observed_dataset(o.dataset) = is_dataset)
		   AND (behind IS NULL OR o.created_at <= behind AND (o.created_at < behind OR o.uuid > behind_uuid))
		 ORDER BY o.created_at DESC, o.uuid LIMIT want) AS page
	 ORDER BY page.created_at DESC, page.uuid LIMIT want;
END
$$;

-- The feed: events behind the position (after_changed, after_id), oldest first, of transactions that no running one can
-- precede; audit_feed explains the order.
CREATE OR REPLACE FUNCTION observation_feed(key uuid, after_changed bigint, after_id bigint, want bigint)
	RETURNS TABLE (changed bigint, id bigint, event text, at timestamptz, observation_uuid uuid)
	LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
	mine uuid[] := ARRAY(SELECT v.uuid FROM visible_projects(key) AS v);
	runs uuid[] := ARRAY(SELECT s.run_uuid FROM observed_runs(key) AS s);
BEGIN
	RETURN QUERY
	SELECT page.changed::text::bigint, page.id, page.event, page.at, page.observation_uuid
	  FROM unnest(runs) AS run (uuid) CROSS JOIN LATERAL (
		SELECT e.changed, e.id, e.event, e.at, e.observation_uuid
		  FROM observation_event AS e JOIN rule_observation AS o ON o.uuid = e.observation_uuid
		 WHERE e.run_uuid = run.uuid AND (e.changed, e.id) > (after_changed::text::xid8, after_id)
		   AND e.changed < pg_snapshot_xmin(pg_current_snapshot())
		   AND (o.project_uuid IS NULL OR o.project_uuid = ANY (mine))
		 ORDER BY e.changed, e.id LIMIT want) AS page
	 ORDER BY page.changed, page.id LIMIT want;
END
$$;

-- Whether the event of a position of the feed can belong to this database. Events are deleted after
-- 90 days, so a missing event proves nothing. But a different event of this number, or a number
-- that no event has had yet, shows that the database was restored from a backup. The function is
-- SECURITY DEFINER because it reads the sequence.
CREATE OR REPLACE FUNCTION observation_position_stands(after_changed bigint, after_id bigint, after_observation uuid)
RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT coalesce((SELECT e.changed = after_changed::text::xid8 AND e.observation_uuid = after_observation
			FROM observation_event AS e WHERE e.id = after_id),
		after_id <= coalesce(pg_sequence_last_value(pg_get_serial_sequence('observation_event', 'id')::regclass), 0))
$$;

-- The last days (UTC) of a rule, oldest first: the observations that were active at the end of each
-- day, and those that appeared or ended. On a day without a row nothing changed.
--
-- rule_activity counts the observations of a run in all projects. For a key that is limited to
-- projects, the counts are computed backwards from now, with the events of later days.
CREATE OR REPLACE FUNCTION observation_activity(key uuid, of_rule uuid, days bigint)
	RETURNS TABLE (date text, active bigint, appeared bigint, gone bigint)
	LANGUAGE plpgsql STABLE ROWS 90 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
	today date := (now() AT TIME ZONE 'UTC')::date;
	mine uuid[] := ARRAY(SELECT v.uuid FROM visible_projects(key) AS v);
	run uuid;
	present bigint;
	partly boolean;
BEGIN
	SELECT s.run_uuid, s.active_count, s.scope = 'surface' AND key_is_limited(key) IS NOT FALSE INTO run, present, partly
	  FROM observed_runs(key) AS s WHERE s.rule_uuid = of_rule;
	IF partly THEN
		SELECT count(*) INTO present FROM rule_observation AS o
		 WHERE o.run_uuid = run AND o.state = 'active' AND o.project_uuid = ANY (mine);
		RETURN QUERY
		WITH moves AS MATERIALIZED (SELECT (e.at AT TIME ZONE 'UTC')::date AS day,
				count(*) FILTER (WHERE e.event <> 'gone') AS began, count(*) FILTER (WHERE e.event = 'gone') AS ended
			  FROM observation_event AS e JOIN rule_observation AS o ON o.uuid = e.observation_uuid
			 WHERE e.run_uuid = run AND o.project_uuid = ANY (mine)
			 GROUP BY 1)
		SELECT to_char(d.day, 'YYYY-MM-DD'), greatest(0, present
				- coalesce((SELECT sum(m.began - m.ended) FROM moves AS m WHERE m.day > d.day), 0))::bigint,
			coalesce(m.began, 0), coalesce(m.ended, 0)
		  FROM (SELECT today - n::integer AS day FROM generate_series(0, days - 1) AS n) AS d
		  LEFT JOIN moves AS m ON m.day = d.day ORDER BY d.day;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT to_char(d.day, 'YYYY-MM-DD'),
		CASE WHEN d.day = today THEN coalesce(present, 0)
		ELSE coalesce(a.active,
			(SELECT b.active FROM rule_activity AS b WHERE b.run_uuid = run AND b.day < d.day ORDER BY b.day DESC LIMIT 1),
			(SELECT greatest(0, b.active - b.appeared + b.gone) FROM rule_activity AS b
				WHERE b.run_uuid = run AND b.day > d.day ORDER BY b.day LIMIT 1),
			present, 0) END,
		coalesce(a.appeared, 0), coalesce(a.gone, 0)
	  FROM (SELECT today - n::integer AS day FROM generate_series(0, days - 1) AS n) AS d
	  LEFT JOIN rule_activity AS a ON a.run_uuid = run AND a.day = d.day ORDER BY d.day;
END
$$;

GRANT EXECUTE ON FUNCTION account_finds, rule_is_on, detect_is_common TO surfaced_api;
GRANT EXECUTE ON FUNCTION rules_observed, observed_runs, observed_dataset, observation_page, observation_feed,
	observation_position_stands, observation_activity TO surfaced_api;
