-- SPDX-License-Identifier: ISC
-- Reads the tags of rules for a key, common ones and those of its account, and writes those of its
-- account.

-- The counts include only rules that the key sees. Rules of the catalogue have common tags; an
-- account's tags are only on its own rules.
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

-- The categories of these tags, each after its parent, with the number of rules that have a tag of
-- the category or of one below it.
CREATE OR REPLACE FUNCTION rule_tag_categories(key uuid) RETURNS TABLE (path text, rules bigint) LANGUAGE sql STABLE AS $$
	WITH word AS MATERIALIZED (SELECT s.rule_uuid, s.account_uuid, unnest(s.tags) AS slug
		FROM rules_observed(key) AS s WHERE NOT s.deleted)
	SELECT c.path, count(DISTINCT word.rule_uuid)
	  FROM tag AS t CROSS JOIN LATERAL unnest(t.categories) AS c (path)
	  LEFT JOIN word ON word.slug = t.slug AND (t.account_uuid IS NULL OR word.account_uuid IS NOT NULL)
	 WHERE t.account_uuid IS NULL OR t.account_uuid = (SELECT k.account_uuid FROM api_key AS k WHERE k.uuid = key)
	 GROUP BY c.path ORDER BY string_to_array(c.path, '/') COLLATE "C"
$$;

-- surfaced_api may not write the table, so these functions write tags of the key's account. They
-- return the UUID of the tag, or null when there is none. A key that is limited to projects cannot
-- write tags, because all rules of the account may have them.

CREATE OR REPLACE FUNCTION rule_tag_add(key uuid, new_slug text, new_name text, new_categories text[], new_classification text)
	RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	INSERT INTO tag (account_uuid, slug, name, categories, classification, created_by_membership_uuid)
	SELECT k.account_uuid, new_slug, new_name, new_categories, new_classification, k.owner_uuid FROM api_key AS k
	 WHERE k.uuid = key AND key_is_limited(key) IS FALSE
	RETURNING tag.uuid
$$;

CREATE OR REPLACE FUNCTION rule_tag_change(key uuid, of_tag uuid, new_name text, new_categories text[], new_classification text)
	RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE tag AS t SET name = new_name, categories = new_categories, classification = new_classification FROM api_key AS k
	 WHERE k.uuid = key AND t.account_uuid = k.account_uuid AND t.uuid = of_tag AND key_is_limited(key) IS FALSE
	RETURNING t.uuid
$$;

-- Removes a tag that no rule names. A transaction that writes a rule locks the rule's tags (rule_tags_hold) until it commits.
-- The first statement here waits for that lock, so the second one sees the new rule.
CREATE OR REPLACE FUNCTION rule_tag_remove(key uuid, of_tag uuid) RETURNS uuid LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	t tag;
BEGIN
	SELECT o.* INTO t FROM tag AS o JOIN api_key AS k ON k.uuid = key AND k.account_uuid = o.account_uuid
	 WHERE o.uuid = of_tag AND key_is_limited(key) IS FALSE FOR UPDATE OF o;
	IF NOT FOUND OR EXISTS (SELECT FROM rule AS r WHERE r.account_uuid = t.account_uuid AND r.deleted_at IS NULL
		AND t.slug = ANY (r.tags)) THEN
		RETURN NULL;
	END IF;
	DELETE FROM tag WHERE uuid = of_tag;
	RETURN of_tag;
END
$$;

-- Returns those of the slugs that a rule of the account may have. These tags cannot be removed
-- before the transaction ends.
CREATE OR REPLACE FUNCTION rule_tags_hold(account uuid, slugs text[]) RETURNS TABLE (slug text) LANGUAGE sql VOLATILE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH held AS (SELECT t.slug FROM tag AS t WHERE t.slug = ANY (slugs) AND (t.account_uuid IS NULL OR t.account_uuid = account)
		ORDER BY t.uuid FOR KEY SHARE)
	SELECT DISTINCT held.slug FROM held
$$;

GRANT EXECUTE ON FUNCTION rule_tags, rule_tag_categories, rule_tag_add, rule_tag_change, rule_tag_remove, rule_tags_hold TO surfaced_api;
