-- SPDX-License-Identifier: ISC
-- Detection rules as a key reads them: those of its account and of the catalogue, each with what the account has set
-- beside it. A limited key sees the rules of its projects and those that name no project; of the projects that a rule
-- names, it sees its own.

CREATE OR REPLACE FUNCTION rules_seen(key uuid) RETURNS TABLE (uuid uuid, id uuid, origin text, version integer, name text,
	description text, author text, licence text, dataset text, scope text, query text, exclude text, severity text,
	tags text[], techniques text[], "references" text[], false_positives text[], tests json, status text,
	applies_tags boolean, produces json, derived_from_uuid uuid, replaced_by_uuid uuid, created_at timestamptz,
	updated_at timestamptz, created_by_membership_uuid uuid, enabled boolean, own_severity text, own_exclude text,
	project_uuids uuid[], findings boolean, set_at timestamptz, run json) LANGUAGE sql STABLE AS $$
	WITH mine AS MATERIALIZED (SELECT v.uuid FROM visible_projects(key) AS v),
	reader AS MATERIALIZED (SELECT k.account_uuid, key_is_limited(key) AS limited FROM api_key k WHERE k.uuid = key)
	SELECT r.uuid, r.id, CASE WHEN r.account_uuid IS NULL THEN 'catalogue' ELSE 'account' END, r.version, r.name::text,
		r.description, r.author, r.licence, r.dataset, r.scope, r.query, r.exclude, r.severity, r.tags, r.techniques,
		r.reference_urls, r.false_positives, r.tests, r.status, r.applies_tags, r.produces, r.derived_from_uuid,
		r.replaced_by_uuid, r.created_at, r.updated_at, r.created_by_membership_uuid, x.enabled, s.severity,
		coalesce(s.exclude, ''), ARRAY(SELECT p FROM unnest(s.project_uuids) WITH ORDINALITY AS u (p, n)
			WHERE p IN (SELECT mine.uuid FROM mine) ORDER BY u.n),
		coalesce(s.findings, false), s.updated_at,
		CASE WHEN n.uuid IS NOT NULL THEN json_build_object('state', n.state, 'active_count', CASE WHEN reader.limited AND r.scope = 'surface'
			THEN (SELECT count(*) FROM rule_observation o WHERE o.run_uuid = n.uuid AND o.state = 'active'
				AND o.project_uuid IN (SELECT mine.uuid FROM mine)) ELSE n.active_count END,
			'relation', CASE WHEN n.state IN ('backfilling', 'saturated') THEN 'gte' ELSE 'eq' END,
			'anchored', n.anchored, 'uses_now', n.uses_now,
			'evaluated_at', to_char(n.evaluated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
			'error', n.error) END
	  FROM reader JOIN rule r ON r.account_uuid = reader.account_uuid OR r.account_uuid IS NULL
	  LEFT JOIN rule_setting s ON s.account_uuid = reader.account_uuid AND s.rule_uuid = r.uuid
	 CROSS JOIN LATERAL (SELECT coalesce(s.enabled, r.account_uuid IS NOT NULL)) AS x (enabled)
	  -- The run that accounts share is shown to an account that uses the rule; another one does not learn of it.
	  LEFT JOIN rule_run n ON n.rule_uuid = r.uuid AND x.enabled AND n.account_uuid IS NOT DISTINCT FROM
		CASE WHEN r.scope = 'surface' OR s.exclude <> '' THEN reader.account_uuid END
	 WHERE r.deleted_at IS NULL AND (NOT reader.limited OR coalesce(cardinality(s.project_uuids), 0) = 0
		OR s.project_uuids && ARRAY(SELECT mine.uuid FROM mine))
$$;

GRANT EXECUTE ON FUNCTION rules_seen TO surfaced_api;
