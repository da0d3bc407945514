-- SPDX-License-Identifier: ISC
-- The frame of the detectors (0013-detectors.sql, src/detect/detector.h). surfaced-detect may only call these functions.
--
--   detect_store       what the documents of a batch concern --> detector_work, with the move of the cursor
--   detector_take      the subjects of one project that a detector looks at next
--   detector_standing  what it has found by these subjects before
--   detector_store     findings, the end of the work, and the state of the detector: one transaction
--   detector_failed    the look did not succeed: its subjects are tried again later, one at a time

-- Returns subjects of the project and detector that are next after (last_detector, last_project),
-- so that all projects take turns. '*' or a change of settings comes first and alone, then subjects
-- that have not failed, at most as many as the detector accepts (mosts), then one subject that has
-- failed. detector_hand keeps them until the look is stored.
CREATE OR REPLACE FUNCTION detector_take(names text[], mosts bigint[], last_detector text, last_project uuid)
	RETURNS TABLE (detector text, project_uuid uuid, exclude text, min_severity text, subject text, asked text)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	d text := last_detector;
	p uuid := last_project;
	due timestamptz;
	wraps integer := 0;
	wanted boolean;
	chosen text[];
BEGIN
	IF NOT EXISTS (SELECT FROM detector_work w WHERE w.due_at <= now()) THEN
		RETURN;
	END IF;
	LOOP
		SELECT w.detector, w.project_uuid, w.due_at INTO d, p, due FROM detector_work w
		 WHERE (w.detector, w.project_uuid) > (d, p) ORDER BY w.detector, w.project_uuid, w.due_at LIMIT 1;
		IF NOT FOUND THEN
			wraps := wraps + 1;
			IF wraps > 1 THEN
				RETURN;
			END IF;
			d := '';
			p := '00000000-0000-0000-0000-000000000000';
		ELSIF due <= now() AND d = ANY (names) THEN
			SELECT EXISTS (SELECT FROM detector_projects() AS e WHERE e.project_uuid = p) AND NOT EXISTS (SELECT
				FROM detector_state s WHERE s.project_uuid = p AND s.detector = d AND NOT s.enabled) INTO wanted;
			EXIT WHEN wanted;
			DELETE FROM detector_work w WHERE w.detector = d AND w.project_uuid = p; -- asked while it was disabled
		END IF;
	END LOOP;
	chosen := ARRAY(SELECT w.subject FROM detector_work w WHERE w.detector = d AND w.project_uuid = p AND w.due_at <= now()
		AND (w.subject = '*' OR w.subject LIKE '=%') ORDER BY w.subject DESC LIMIT 1);
	IF chosen = '{}' THEN
		chosen := ARRAY(SELECT w.subject FROM detector_work w WHERE w.detector = d AND w.project_uuid = p AND w.due_at <= now()
			AND w.tries = 0 ORDER BY w.due_at, w.subject LIMIT mosts[array_position(names, d)]);
	END IF;
	IF chosen = '{}' THEN
		chosen := ARRAY(SELECT w.subject FROM detector_work w WHERE w.detector = d AND w.project_uuid = p AND w.due_at <= now()
			ORDER BY w.due_at, w.subject LIMIT 1);
	END IF;
	INSERT INTO detector_hand (detector, project_uuid, subjects) VALUES (d, p, chosen)
	ON CONFLICT (one) DO UPDATE SET detector = d, project_uuid = p, subjects = chosen;
	RETURN QUERY SELECT d, p, coalesce(s.exclude, ''), coalesce(s.min_severity, 'info'), w.subject, w.asked::text
		  FROM detector_work w LEFT JOIN detector_state s ON s.project_uuid = p AND s.detector = d
		 WHERE w.detector = d AND w.project_uuid = p AND w.subject = ANY (chosen) ORDER BY w.subject;
END
$$;

-- The stored findings of these subjects.
CREATE OR REPLACE FUNCTION detector_standing(of_detector text, project uuid, subjects text[])
	RETURNS TABLE (subject text, finding_key text, status text, severity text, first_seen_at timestamptz,
		last_seen_at timestamptz, evidence jsonb) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT d.subject, f.finding_key, f.status, f.severity, f.first_seen_at, f.last_seen_at, f.evidence
	  FROM detector_finding d JOIN finding f ON f.project_uuid = d.project_uuid AND f.finding_key = d.finding_key
	 WHERE d.project_uuid = project AND d.detector = of_detector AND d.subject = ANY (subjects)
	 ORDER BY d.subject, f.finding_key
$$;

-- Closes findings that the settings hide. The event is clear, as when data contradict a finding. contradicted_at stays, so
-- finding_store opens the finding again when a record shows it and the settings no longer hide it.
CREATE OR REPLACE FUNCTION detector_hide(project uuid, keys text[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE finding f SET status = m.to_status, status_event = m.event, status_changed_at = now(),
		status_changed_by_membership_uuid = NULL, resolved_at = now(), resolved_by_membership_uuid = NULL
	  FROM finding_move m
	 WHERE f.project_uuid = project AND f.finding_key = ANY (keys) AND m.event = 'clear' AND m.from_status = f.status
$$;

-- Opens findings of the detector "rules" that the settings had hidden: those that are closed but
-- not contradicted by data. Those of a rule that the account has turned off stay closed.
CREATE OR REPLACE FUNCTION detector_show(project uuid, keys text[]) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE finding f SET status = m.to_status, status_event = m.event, status_changed_at = now(),
		status_changed_by_membership_uuid = NULL, resolved_at = NULL, resolved_by_membership_uuid = NULL
	  FROM finding_move m
	 WHERE f.project_uuid = project AND f.finding_key = ANY (keys) AND m.event = 'seen_again' AND m.from_status = f.status
	   -- A generic rule may have no finding where a competing rule has one, so its next
	   -- evaluation decides.
	   AND NOT EXISTS (SELECT FROM rule r WHERE f.finding_key LIKE 'rule/%' AND r.uuid::text = split_part(f.finding_key, '/', 2)
		AND r.produces ->> 'rank' = '0')
	   AND NOT EXISTS (SELECT FROM project p JOIN rule_setting s ON s.account_uuid = p.account_uuid
		WHERE p.uuid = project AND s.rule_uuid = finding_rule(f.finding_key) AND NOT s.enabled)
	   AND f.resolved_by_membership_uuid IS NULL AND NOT finding_contradicted(f.contradicted_at, f.last_seen_at);
END
$$;

-- The findings of a detector after a UUID, in the form that excludes are compared with.
CREATE OR REPLACE FUNCTION detector_findings(of_detector text, project uuid, behind uuid, most bigint)
	RETURNS TABLE (uuid uuid, finding_key text, doc json) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT f.uuid, f.finding_key, json_build_object('finding_key', f.finding_key, 'finding_type', f.finding_type,
		'exposure_kind', f.exposure_kind, 'severity', f.severity, 'title', f.title, 'description', f.description,
		'asset_kind', a.kind, 'asset_name', a.name, 'service_key', CASE WHEN of_detector <> 'rules' THEN s.service_key END, 'discovery_channel', f.discovery_channel,
		'discovery_provider', f.discovery_provider, 'source_name', f.source_name, 'source_ref', f.source_ref,
		'first_seen_at', f.first_seen_at, 'last_seen_at', f.last_seen_at)
	  FROM finding f LEFT JOIN asset a ON a.uuid = f.asset_uuid LEFT JOIN asset_service s ON s.uuid = f.service_uuid
	 WHERE f.project_uuid = project AND f.detector = of_detector
	   AND f.uuid > coalesce(behind, '00000000-0000-0000-0000-000000000000')
	 ORDER BY f.uuid LIMIT most
$$;

-- The number of unresolved findings of a detector in a project.
CREATE OR REPLACE FUNCTION detector_unresolved(of_detector text, project uuid) RETURNS bigint LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT count(*) FROM finding f WHERE f.project_uuid = project AND f.detector = of_detector AND f.status <> 'resolved'
$$;

-- Replaces the subject '*' by the assets of the project.
CREATE OR REPLACE FUNCTION detector_expand(of_detector text, project uuid) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT detector_ask(jsonb_agg(jsonb_build_object('detector', of_detector, 'project', project, 'subject', a.name)))
	  FROM asset a JOIN detector_assets() AS d ON d.detector = of_detector AND d.kind = a.kind WHERE a.project_uuid = project
$$;

-- Ends work that was not requested again meanwhile. When another transaction has requested a
-- subject again, its row stays.
CREATE OR REPLACE FUNCTION detector_done(of_detector text, project uuid, subjects text[], askers text[]) RETURNS void
	LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH done AS MATERIALIZED (SELECT w.subject FROM detector_work w
		  JOIN unnest(subjects, askers) AS s (subject, asker) ON s.subject = w.subject AND s.asker = w.asked::text
		 WHERE w.detector = of_detector AND w.project_uuid = project FOR UPDATE OF w SKIP LOCKED)
	DELETE FROM detector_work w USING done d
	 WHERE w.detector = of_detector AND w.project_uuid = project AND w.subject = d.subject
$$;

-- Stores the results of a look.
--   records   [{subject, ...}], with the members of finding_in or absent: true; those with hidden: true are hidden by the settings
--   work      what the detector asks for: [{detector, project, subject, due}]
--   askers    detector_work.asked of the subjects as detector_take returned it
--   counted   numbers of what was looked at, by name; they are added up until the detector looks at everything again
--   warning   what people should know about a look that succeeded, or null
CREATE OR REPLACE FUNCTION detector_store(of_detector text, project uuid, records jsonb, subjects text[], askers text[],
	work jsonb, counted jsonb, warning text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	shown jsonb := jsonb_path_query_array(records, '$[*] ? (!(@.hidden == true))');
	hidden text[] := ARRAY(SELECT r ->> 'finding_key' FROM jsonb_array_elements(records) AS r
		WHERE (r -> 'hidden')::boolean);
BEGIN
	IF shown <> '[]' THEN
		PERFORM finding_store(project, of_detector, shown);
		INSERT INTO detector_finding (project_uuid, detector, subject, finding_key)
		SELECT DISTINCT project, of_detector, r ->> 'subject', r ->> 'finding_key' FROM jsonb_array_elements(shown) AS r
		 WHERE NOT coalesce((r -> 'absent')::boolean, false) ORDER BY 3, 4
		ON CONFLICT DO NOTHING;
	END IF;
	IF hidden <> '{}' THEN
		PERFORM detector_hide(project, hidden);
	END IF;
	PERFORM detector_done(of_detector, project, subjects, askers);
	IF work <> '[]' THEN
		PERFORM detector_ask(work);
	END IF;
	INSERT INTO detector_state AS s (project_uuid, detector, last_pass_at, looked_at, error, is_full)
	VALUES (project, of_detector, now(), counted, warning, counted ? 'beyond_limit')
	ON CONFLICT (project_uuid, detector) DO UPDATE SET last_pass_at = now(), is_full = excluded.is_full,
		error = CASE WHEN warning IS NOT NULL THEN warning WHEN s.error IS NOT NULL AND EXISTS (SELECT FROM detector_work w WHERE w.detector = of_detector
			AND w.project_uuid = project AND w.tries > 0) THEN s.error END,
		looked_at = CASE WHEN '*' = ANY (subjects) THEN counted ELSE s.looked_at || (SELECT coalesce(jsonb_object_agg(c.key,
			c.value::bigint + coalesce((s.looked_at ->> c.key)::bigint, 0)), '{}') FROM jsonb_each_text(counted) AS c) END;
	DELETE FROM detector_hand;
END
$$;

-- Postpones the subjects in detector_hand. When there were several, they are looked at again at
-- once, one at a time.
CREATE OR REPLACE FUNCTION detector_failed(why text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	h detector_hand;
BEGIN
	DELETE FROM detector_hand RETURNING * INTO h;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	UPDATE detector_work w SET tries = w.tries + 1, due_at = now() + CASE WHEN w.tries = 0 AND cardinality(h.subjects) > 1
		THEN interval '0' ELSE least(2 ^ least(w.tries, 20), 3600) * interval '1 s' END
	 WHERE w.detector = h.detector AND w.project_uuid = h.project_uuid AND w.subject = ANY (h.subjects);
	INSERT INTO detector_state (project_uuid, detector, error) VALUES (h.project_uuid, h.detector, left(why, 500))
	ON CONFLICT (project_uuid, detector) DO UPDATE SET error = excluded.error;
	PERFORM metric_add('{surfaced_detect_failures_total}', '{1}');
END
$$;

-- ---- the API ----

-- The time at which all datasets had been followed: the last pass of the detector "rules".
CREATE OR REPLACE FUNCTION detector_followed() RETURNS timestamptz LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT min(at) FROM detect_cursor
$$;

-- The detectors of a project with their settings. open: the number of open findings.
CREATE OR REPLACE FUNCTION detector_list(project uuid, names text[]) RETURNS TABLE (name text, enabled boolean, exclude text,
	min_severity text, last_pass_at timestamptz, looked_at json, open bigint, error text) LANGUAGE sql STABLE AS $$
	SELECT n.name, coalesce(s.enabled, true), coalesce(s.exclude, ''), coalesce(s.min_severity, 'info'),
	       CASE n.name WHEN 'rules' THEN detector_followed() ELSE s.last_pass_at END, coalesce(s.looked_at, '{}')::json,
	       (SELECT count(*) FROM finding f WHERE f.project_uuid = project AND f.detector = n.name AND f.status = 'open'), s.error
	  FROM unnest(names) WITH ORDINALITY AS n (name, i)
	  LEFT JOIN detector_state s ON s.project_uuid = project AND s.detector = n.name ORDER BY n.i
$$;

-- The detectors of several projects: the oldest pass, and one error if there is any.
CREATE OR REPLACE FUNCTION detector_passes(projects uuid[], names text[]) RETURNS TABLE (name text, last_pass_at timestamptz,
	error text) LANGUAGE sql STABLE AS $$
	SELECT n.name, CASE n.name WHEN 'rules' THEN detector_followed() ELSE min(s.last_pass_at) END, min(s.error)
	  FROM unnest(names) WITH ORDINALITY AS n (name, i)
	  LEFT JOIN detector_state s ON s.project_uuid = ANY (projects) AND s.detector = n.name GROUP BY n.name, n.i ORDER BY n.i
$$;

-- The settings of the detector rules that differ from the defaults.
CREATE OR REPLACE FUNCTION detector_rules() RETURNS TABLE (project_uuid uuid, exclude text, min_severity text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT s.project_uuid, s.exclude, s.min_severity FROM detector_state s
	 WHERE s.detector = 'rules' AND s.enabled AND (s.exclude <> '' OR s.min_severity <> 'info') ORDER BY s.project_uuid
$$;

GRANT EXECUTE ON FUNCTION detector_followed, detector_list, detector_passes TO surfaced_api;
GRANT EXECUTE ON FUNCTION detector_rules, detector_take, detector_standing, detector_hide, detector_show, detector_findings, detector_unresolved, detector_expand,
	detector_store, detector_failed TO surfaced_detect;
