-- SPDX-License-Identifier: ISC
-- Reads detection rules for a key: those of its account and of the catalogue, with the settings of
-- the account.
--
--     rules_seen       all members of those of rules_observed (observation.sql) that are not deleted; of the projects that a rule names, those of the key alone
--     rule_manageable  whether the key may change a rule
--
-- A key that is limited to projects sees rules that name one of its projects or no project. It may
-- change only rules that name projects, all of which it sees: any other change would affect
-- projects that it does not see.

CREATE OR REPLACE FUNCTION rules_seen(key uuid) RETURNS TABLE (uuid uuid, id uuid, origin text, version integer, name text,
	description text, author text, licence text, dataset text, scope text, query text, exclude text, severity text,
	tags text[], techniques text[], "references" text[], false_positives text[], tests json, status text,
	applies_tags boolean, produces json, derived_from_uuid uuid, replaced_by_uuid uuid, created_at timestamptz,
	updated_at timestamptz, created_by_membership_uuid uuid, enabled boolean, own_severity text, own_exclude text,
	project_uuids uuid[], findings boolean, set_at timestamptz, run json, active_findings bigint) LANGUAGE sql STABLE AS $$
	WITH mine AS MATERIALIZED (SELECT v.uuid FROM visible_projects(key) AS v),
	reader AS MATERIALIZED (SELECT k.account_uuid, key_is_limited(key) AS limited,
			'esi.findings.view' = ANY (credential_scopes(key)) AND account_finds(k.account_uuid) AS sees_findings
		  FROM api_key k WHERE k.uuid = key)
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
			'error', n.error) END,
		CASE WHEN reader.sees_findings THEN (SELECT count(*) FROM mine JOIN finding AS f ON f.project_uuid = mine.uuid
			WHERE finding_rule(f.finding_key) = r.uuid AND f.status IN ('open', 'acknowledged')) END
	  FROM reader CROSS JOIN rules_observed(key) AS x JOIN rule r ON r.uuid = x.rule_uuid
	  LEFT JOIN rule_setting s ON s.account_uuid = reader.account_uuid AND s.rule_uuid = r.uuid
	  -- The shared run is visible only to accounts that use the rule.
	  LEFT JOIN rule_run n ON n.rule_uuid = r.uuid AND n.live AND x.enabled AND n.account_uuid IS NOT DISTINCT FROM
		CASE WHEN r.scope = 'surface' OR x.excludes THEN reader.account_uuid END
	 WHERE NOT x.deleted
$$;

CREATE OR REPLACE FUNCTION rule_manageable(key uuid, of_rule uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT key_is_limited(key) IS FALSE OR EXISTS (SELECT FROM rule_setting AS s JOIN api_key AS k ON k.account_uuid = s.account_uuid
		WHERE k.uuid = key AND s.rule_uuid = of_rule AND s.project_uuids <> '{}'
		  AND s.project_uuids <@ ARRAY(SELECT v.uuid FROM visible_projects(key) AS v))
$$;

-- Gives a new rule the projects of the key, if the key is limited. Returns false when the key has
-- no project, or more than a rule may name.
CREATE OR REPLACE FUNCTION rule_confine(key uuid, of_rule uuid, most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	mine uuid[] := ARRAY(SELECT v.uuid FROM visible_projects(key) AS v ORDER BY 1);
BEGIN
	IF key_is_limited(key) IS FALSE THEN
		RETURN true;
	END IF;
	IF cardinality(mine) NOT BETWEEN 1 AND most THEN
		RETURN false;
	END IF;
	INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids)
	SELECT k.account_uuid, of_rule, true, mine FROM api_key AS k WHERE k.uuid = key;
	RETURN true;
END
$$;

-- The rules of an account's own that are evaluated.
CREATE OR REPLACE FUNCTION rules_evaluated(of_account uuid) RETURNS TABLE (dataset text, query text) LANGUAGE sql STABLE AS $$
	SELECT r.dataset, r.query FROM rule r LEFT JOIN rule_setting s ON s.account_uuid = of_account AND s.rule_uuid = r.uuid
	 WHERE r.account_uuid = of_account AND r.deleted_at IS NULL AND r.status IN ('testing', 'stable') AND coalesce(s.enabled, true)
$$;

GRANT EXECUTE ON FUNCTION rules_seen, rule_manageable, rule_confine, rules_evaluated TO surfaced_api;
GRANT EXECUTE ON FUNCTION rules_evaluated TO surfaced_admin;
