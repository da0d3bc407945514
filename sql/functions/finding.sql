-- SPDX-License-Identifier: ISC
-- Stores findings of producers: detectors, and imports, whose detector is null.
--
--   records --> finding_store --> finding, whose trigger writes finding_event
--
-- Only the times of the data decide, in whatever order they come, and the same records again change nothing:
--
--   members          those of the record that was seen last; an earlier one fills in what is missing
--   open             closes (the move clear) when data that lack it are at least a day newer than those that show it
--   resolved by      a producer: opens when a record shows it and no newer data contradict that record
--                    a person:   opens when it was seen after resolved_at
--   false_positive,  no producer moves these
--   accepted_risk
--
-- contradicted_at keeps the time of the latest data that lack the finding, so that a late record
-- has the same effect as one in time.

-- Whether a finding was not confirmed for so long that it may no longer be true
-- (LIM_FINDING_STALE_DAYS).
CREATE OR REPLACE FUNCTION finding_is_stale(last_seen_at timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT last_seen_at < now() - interval '30 days'
$$;

-- Whether the data that lack a finding are enough newer than the data that show it to close it
-- (LIM_FINDING_CLEAR_HOURS).
CREATE OR REPLACE FUNCTION finding_contradicted(contradicted_at timestamptz, last_seen_at timestamptz) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(contradicted_at AT TIME ZONE 'UTC' >= last_seen_at AT TIME ZONE 'UTC' + interval '24 hours', false)
$$;

-- Returns the stored finding merged with a record.
CREATE OR REPLACE FUNCTION finding_merged(stored finding, given finding) RETURNS finding LANGUAGE plpgsql STABLE AS $$
DECLARE
	r finding := stored;
	w finding := CASE WHEN given.last_seen_at < stored.last_seen_at THEN stored ELSE given END;
	o finding := CASE WHEN given.last_seen_at < stored.last_seen_at THEN given ELSE stored END;
BEGIN
	r.asset_uuid := coalesce(w.asset_uuid, o.asset_uuid);
	r.service_uuid := coalesce(w.service_uuid, o.service_uuid);
	r.finding_type := w.finding_type;
	r.exposure_kind := coalesce(w.exposure_kind, o.exposure_kind);
	r.title := w.title;
	r.description := coalesce(w.description, o.description);
	r.severity := w.severity;
	r.evidence := coalesce(w.evidence, o.evidence);
	r.confidence := coalesce(w.confidence, o.confidence);
	r.detector := coalesce(w.detector, o.detector);
	r.status_note := coalesce(w.status_note, o.status_note);
	r.discovery_channel := coalesce(w.discovery_channel, o.discovery_channel);
	r.discovery_provider := coalesce(w.discovery_provider, o.discovery_provider);
	r.source_name := coalesce(w.source_name, o.source_name);
	r.source_ref := coalesce(w.source_ref, o.source_ref);
	r.first_seen_at := least(stored.first_seen_at, given.first_seen_at);
	r.last_seen_at := w.last_seen_at;
	IF (r.finding_type, r.title, r.severity, r.description, r.evidence, r.confidence) IS DISTINCT FROM
	    (stored.finding_type, stored.title, stored.severity, stored.description, stored.evidence, stored.confidence) THEN
		r.updated_at := now();
	END IF;
	RETURN r;
END
$$;

-- Stores records of one producer; their assets and services exist. A record has a finding_key, and the members of
-- finding_in (src/resource/finding.h) or absent: true, which is a contradiction of the time last_seen_at.
--   fresh     inserted            changed   stored ones of which a row was written, also for an absence alone
--   known     shown and stored    reopened, cleared   moved; the audit log has each
CREATE OR REPLACE FUNCTION finding_store(project uuid, producer text, records jsonb)
	RETURNS TABLE (fresh bigint, known bigint, changed bigint, reopened bigint, cleared bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	shown jsonb := jsonb_path_query_array(records, '$[*] ? (!(@.absent == true))');
	lacking jsonb := jsonb_path_query_array(records, '$[*] ? (@.absent == true)');
	grown uuid[];
	n record;
	again bigint;
	gone bigint;
BEGIN
	-- in the order of keys, in which all producers lock
	PERFORM FROM finding f WHERE f.project_uuid = project
		AND f.finding_key IN (SELECT r ->> 'finding_key' FROM jsonb_array_elements(records) AS r)
		ORDER BY f.finding_key FOR NO KEY UPDATE;
	-- Merges several records of one finding like finding_merged: JSON objects are concatenated
	-- from the oldest to the newest, and the last value of a member wins.
	WITH read AS (
		SELECT r.*, coalesce(a.uuid, s.asset_uuid) AS asset_uuid, s.uuid AS service_uuid,
		       coalesce(r.first_seen_at, least(r.last_seen_at, now())) AS first, coalesce(r.last_seen_at, now()) AS last
		  FROM ROWS FROM (jsonb_to_recordset(shown) AS (finding_key text, finding_type text,
			exposure_kind text, title text, description text, severity text, evidence jsonb,
			confidence double precision, status_note text, asset_kind text, asset_name text, service_key text,
			first_seen_at timestamptz, last_seen_at timestamptz, discovery_channel text, discovery_provider text,
			source_name text, source_ref text)) WITH ORDINALITY AS r
		  LEFT JOIN asset a ON a.project_uuid = project AND a.kind = r.asset_kind AND a.name = r.asset_name
		  LEFT JOIN asset_service s ON s.project_uuid = project AND s.service_key = r.service_key),
	given AS MATERIALIZED (
		SELECT g.*, x.first, x.last FROM (
			SELECT min(r.first) AS first, max(r.last) AS last,
			       jsonb_object_agg(m.key, m.value ORDER BY r.last, r.ordinality) AS members
			  FROM read AS r, jsonb_each(to_jsonb(r) || jsonb_build_object('severity', coalesce(r.severity, 'info'))) AS m
			 WHERE m.value <> 'null' GROUP BY r.finding_key) AS x,
			jsonb_populate_record(NULL::finding, x.members) AS g),
	written AS (
		INSERT INTO finding AS f (project_uuid, asset_uuid, service_uuid, finding_key, finding_type, exposure_kind,
			title, description, severity, evidence, confidence, detector, status_note, first_seen_at, last_seen_at,
			discovery_channel, discovery_provider, source_name, source_ref)
		SELECT project, g.asset_uuid, g.service_uuid, g.finding_key, g.finding_type, g.exposure_kind, g.title, g.description,
		       g.severity, g.evidence, g.confidence, producer, g.status_note, least(first, last), last, g.discovery_channel,
		       g.discovery_provider, g.source_name, g.source_ref
		  FROM given g
		 ORDER BY g.finding_key
		ON CONFLICT ON CONSTRAINT finding_project_uuid_finding_key_key DO UPDATE SET
			(asset_uuid, service_uuid, finding_type, exposure_kind, title, description, severity, evidence,
			confidence, detector, status_note, first_seen_at, last_seen_at, discovery_channel, discovery_provider,
			source_name, source_ref, updated_at) = (SELECT m.asset_uuid, m.service_uuid, m.finding_type,
				m.exposure_kind, m.title, m.description, m.severity, m.evidence, m.confidence, m.detector,
				m.status_note, m.first_seen_at, m.last_seen_at, m.discovery_channel, m.discovery_provider,
				m.source_name, m.source_ref, m.updated_at
			FROM finding_merged(f, excluded) AS m)
		WHERE f IS DISTINCT FROM finding_merged(f, excluded)
		RETURNING f.uuid, xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new) AS fresh, (SELECT count(*) FROM given) AS given,
	       count(*) FILTER (WHERE NOT is_new) AS changed, array_agg(uuid) AS written INTO n FROM written;

	UPDATE finding f SET status = m.to_status, status_event = m.event, status_changed_at = now(),
		status_changed_by_membership_uuid = NULL, resolved_at = NULL, resolved_by_membership_uuid = NULL
	  FROM finding_move m, (SELECT r.finding_key, max(coalesce(r.last_seen_at, now())) AS last
		FROM jsonb_to_recordset(shown) AS r(finding_key text, last_seen_at timestamptz) GROUP BY 1) AS g
	 WHERE f.project_uuid = project AND f.finding_key = g.finding_key
	   AND m.event = 'seen_again' AND m.from_status = f.status
	   AND CASE WHEN f.resolved_by_membership_uuid IS NULL
		THEN NOT finding_contradicted(f.contradicted_at, f.last_seen_at) ELSE g.last > f.resolved_at END;
	GET DIAGNOSTICS again = ROW_COUNT;

	WITH g AS (SELECT r.finding_key, max(coalesce(r.last_seen_at, now())) AS last
		FROM jsonb_to_recordset(lacking) AS r(finding_key text, last_seen_at timestamptz) GROUP BY 1),
	later AS (UPDATE finding f SET contradicted_at = g.last FROM g
		 WHERE f.project_uuid = project AND f.finding_key = g.finding_key
		   AND (f.contradicted_at IS NULL OR f.contradicted_at < g.last) RETURNING f.uuid)
	SELECT array_agg(uuid) INTO grown FROM later;
	UPDATE finding f SET status = m.to_status, status_event = m.event, status_changed_at = now(),
		status_changed_by_membership_uuid = NULL, resolved_at = now(), resolved_by_membership_uuid = NULL
	  FROM finding_move m
	 WHERE f.uuid = ANY (grown) AND m.event = 'clear' AND m.from_status = f.status
	   AND finding_contradicted(f.contradicted_at, f.last_seen_at);
	GET DIAGNOSTICS gone = ROW_COUNT;
	RETURN QUERY SELECT n.fresh, n.given - n.fresh,
		n.changed + (SELECT count(*) FROM unnest(grown) AS g WHERE g <> ALL (coalesce(n.written, '{}'))), again, gone;
END
$$;

-- The open findings that name a service, the worst first: LIM_SERVICE_EXPOSURES (C-200).
CREATE OR REPLACE FUNCTION service_exposures(service uuid) RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT coalesce(json_agg(json_build_object('finding_uuid', o.uuid, 'kind', o.kind, 'severity', o.severity)), '[]') FROM (
		SELECT f.uuid, coalesce(f.exposure_kind, evidence_text(f.evidence, 'kind'), f.finding_type) AS kind, f.severity
		  FROM finding f WHERE f.service_uuid = service AND f.status = 'open'
		 ORDER BY alert_severity_rank(f.severity) DESC, f.uuid LIMIT 32) AS o
$$;

GRANT EXECUTE ON FUNCTION service_exposures, alert_severity_rank TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION finding_is_stale TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION finding_contradicted, finding_merged, finding_store TO surfaced_admin;
