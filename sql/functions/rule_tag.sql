-- SPDX-License-Identifier: ISC
-- Tags of rules as a key reads them: the common ones and those of its account.

-- The counts are of the rules that the key sees. A rule of the catalogue means the common tag, and an account's tag is
-- its own rules' alone.
CREATE OR REPLACE FUNCTION rule_tags(key uuid) RETURNS TABLE (uuid uuid, origin text, slug text, name text,
	categories text[], classification text, rule_count bigint, enabled_rule_count bigint,
	created_by_membership_uuid uuid, created_at timestamptz, updated_at timestamptz) LANGUAGE sql STABLE AS $$
	WITH used AS MATERIALIZED (SELECT word.slug, count(*) AS rules, count(*) FILTER (WHERE s.enabled) AS enabled,
			count(*) FILTER (WHERE s.account_uuid IS NOT NULL) AS own,
			count(*) FILTER (WHERE s.account_uuid IS NOT NULL AND s.enabled) AS own_enabled
		  FROM rules_observed(key) AS s CROSS JOIN LATERAL (SELECT DISTINCT unnest(s.tags)) AS word (slug)
		 WHERE NOT s.deleted GROUP BY word.slug)
	SELECT t.uuid, CASE WHEN t.account_uuid IS NULL THEN 'catalogue' ELSE 'account' END, t.slug, t.name, t.categories,
		t.classification, coalesce(CASE WHEN t.account_uuid IS NULL THEN used.rules ELSE used.own END, 0),
		coalesce(CASE WHEN t.account_uuid IS NULL THEN used.enabled ELSE used.own_enabled END, 0),
		t.created_by_membership_uuid, t.created_at, t.updated_at
	  FROM tag AS t LEFT JOIN used ON used.slug = t.slug
	 WHERE t.account_uuid IS NULL OR t.account_uuid = (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key)
$$;

-- The categories of these tags, each behind its parent, with the number of rules that have a tag of the category or of one
-- below it.
CREATE OR REPLACE FUNCTION rule_tag_categories(key uuid) RETURNS TABLE (path text, rules bigint) LANGUAGE sql STABLE AS $$
	WITH word AS MATERIALIZED (SELECT s.rule_uuid, s.account_uuid, unnest(s.tags) AS slug
		FROM rules_observed(key) AS s WHERE NOT s.deleted)
	SELECT c.path, count(DISTINCT word.rule_uuid)
	  FROM tag AS t CROSS JOIN LATERAL unnest(t.categories) AS c (path)
	  LEFT JOIN word ON word.slug = t.slug AND (t.account_uuid IS NULL OR word.account_uuid IS NOT NULL)
	 WHERE t.account_uuid IS NULL OR t.account_uuid = (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key)
	 GROUP BY c.path ORDER BY string_to_array(c.path, '/') COLLATE "C"
$$;

GRANT EXECUTE ON FUNCTION rule_tags, rule_tag_categories TO surfaced_api;
