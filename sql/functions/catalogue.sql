-- SPDX-License-Identifier: ISC
-- Stores detection rules from YAML files: the catalogue, and rules of an account. surfacectl has
-- parsed and checked them (src/cli/rule) and passes each as an object with the columns of rule and
-- `related`, the relations of Sigma.
--
--   changed   a member of the stored rule differs. The version grows when the query, the exclude or the dataset is another
--             one, and the former ones stay in rule_version.
--   gone      a rule of the catalogue that is not among the given ones is deprecated. It keeps its row and its settings,
--             since observations and findings name it.
--
-- Settings of accounts are never changed.

-- Returns the move that leads to a status, for the audit log.
CREATE OR REPLACE FUNCTION catalogue_event(status text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE status WHEN 'testing' THEN 'stage' WHEN 'stable' THEN 'publish' WHEN 'deprecated' THEN 'deprecate' ELSE 'redraft' END
$$;

-- Stores one rule. Returns fresh, changed or unchanged.
CREATE OR REPLACE FUNCTION catalogue_put(owner uuid, given json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n rule := json_populate_record(NULL::rule, given);
	o rule;
	queried boolean;
BEGIN
	SELECT * INTO o FROM rule WHERE account_uuid IS NOT DISTINCT FROM owner AND id = n.id AND deleted_at IS NULL FOR UPDATE;
	IF NOT FOUND THEN
		INSERT INTO rule (account_uuid, id, name, description, author, licence, dataset, scope, query, exclude, severity, tags,
			techniques, reference_urls, false_positives, tests, status, applies_tags, produces, content_sha256)
		VALUES (owner, n.id, n.name, n.description, n.author, n.licence, n.dataset, n.scope, n.query, n.exclude,
			n.severity, n.tags, n.techniques, n.reference_urls, n.false_positives, n.tests, n.status, n.applies_tags,
			n.produces, n.content_sha256);
		RETURN 'fresh';
	END IF;
	IF (o.name, o.description, o.author, o.licence, o.dataset, o.scope, o.query, o.exclude, o.severity, o.tags, o.techniques,
		o.reference_urls, o.false_positives, o.tests::text, o.status, o.applies_tags, o.produces::text, o.content_sha256)
	    IS NOT DISTINCT FROM
	    (n.name, n.description, n.author, n.licence, n.dataset, n.scope, n.query, n.exclude, n.severity, n.tags, n.techniques,
		n.reference_urls, n.false_positives, n.tests::text, n.status, n.applies_tags, n.produces::text, n.content_sha256) THEN
		RETURN 'unchanged';
	END IF;
	queried := (o.dataset, o.query, o.exclude) IS DISTINCT FROM (n.dataset, n.query, n.exclude);
	IF queried THEN
		INSERT INTO rule_version VALUES (o.uuid, o.version, o.dataset, o.query, o.exclude, now(), NULL);
	END IF;
	UPDATE rule SET (name, description, author, licence, dataset, scope, query, exclude, severity, tags, techniques,
		reference_urls, false_positives, tests, status, applies_tags, produces, content_sha256) = (n.name, n.description,
		n.author, n.licence, n.dataset, n.scope, n.query, n.exclude, n.severity, n.tags, n.techniques, n.reference_urls,
		n.false_positives, n.tests, n.status, n.applies_tags, n.produces, n.content_sha256),
		version = o.version + queried::integer, updated_at = now(),
		status_event = CASE WHEN n.status = o.status THEN o.status_event ELSE catalogue_event(n.status) END
	 WHERE uuid = o.uuid;
	RETURN 'changed';
END
$$;

-- Relations to rules of the same owner or of the catalogue. Of Sigma's types, derived names the origin of this rule; obsolete,
-- merged and renamed name rules that this one replaces; similar is not stored.
CREATE OR REPLACE FUNCTION catalogue_relate(owner uuid, given json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE rule AS r SET derived_from_uuid = s.origin
	  FROM (SELECT own.uuid, (SELECT o.uuid FROM json_array_elements(g -> 'related') AS l
			JOIN rule AS o ON o.id = (l ->> 'id')::uuid AND (o.account_uuid IS NULL OR o.account_uuid = owner)
			WHERE l ->> 'type' = 'derived' ORDER BY o.account_uuid NULLS LAST, o.deleted_at DESC LIMIT 1) AS origin
		FROM json_array_elements(given) AS g
		JOIN rule AS own ON own.id = (g ->> 'id')::uuid AND own.account_uuid IS NOT DISTINCT FROM owner AND own.deleted_at IS NULL) AS s
	 WHERE r.uuid = s.uuid AND s.origin IS NOT NULL AND r.derived_from_uuid IS DISTINCT FROM s.origin;
	UPDATE rule AS r SET replaced_by_uuid = own.uuid
	  FROM json_array_elements(given) AS g
	  JOIN rule AS own ON own.id = (g ->> 'id')::uuid AND own.account_uuid IS NOT DISTINCT FROM owner AND own.deleted_at IS NULL,
	  LATERAL json_array_elements(g -> 'related') AS l
	 WHERE l ->> 'type' IN ('obsolete', 'merged', 'renamed') AND r.id = (l ->> 'id')::uuid
		AND r.account_uuid IS NOT DISTINCT FROM owner AND r.uuid <> own.uuid AND r.replaced_by_uuid IS DISTINCT FROM own.uuid;
END
$$;

-- Makes each tag of the catalogue's rules a common tag, so that copies of these rules may have it and lists name it. What
-- surfacectl tags set has stored stays.
CREATE OR REPLACE FUNCTION catalogue_tags() RETURNS void LANGUAGE sql AS $$
	INSERT INTO tag (slug, name)
	SELECT DISTINCT t.slug, regexp_replace(upper(left(t.slug, 1)) || replace(substr(t.slug, 2), '-', ' '), '^Ai ', 'AI ')
	  FROM rule AS r CROSS JOIN LATERAL unnest(r.tags) AS t (slug)
	 WHERE r.account_uuid IS NULL AND r.deleted_at IS NULL AND r.status <> 'deprecated'
	 ORDER BY t.slug
	ON CONFLICT DO NOTHING
$$;

-- Makes the given rules the catalogue.
CREATE OR REPLACE FUNCTION catalogue_load(given json)
	RETURNS TABLE (fresh bigint, changed bigint, unchanged bigint, deprecated bigint)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('rule'), 0);
	IF json_array_length(given) = 0 THEN
		RAISE EXCEPTION 'a catalogue without rules would deprecate every rule';
	END IF;
	SELECT count(*) FILTER (WHERE p = 'fresh'), count(*) FILTER (WHERE p = 'changed'), count(*) FILTER (WHERE p = 'unchanged')
	  INTO fresh, changed, unchanged
	  FROM (SELECT catalogue_put(NULL, g) AS p FROM json_array_elements(given) AS g) AS done;
	PERFORM catalogue_relate(NULL, given);
	UPDATE rule SET status = 'deprecated', status_event = 'deprecate', updated_at = now()
	 WHERE account_uuid IS NULL AND deleted_at IS NULL AND status <> 'deprecated'
		AND id NOT IN (SELECT (g ->> 'id')::uuid FROM json_array_elements(given) AS g);
	GET DIAGNOSTICS deprecated = ROW_COUNT;
	PERFORM catalogue_tags();
	RETURN NEXT;
END
$$;

-- Stores rules of an account, all or none. on_existing: skip, update or fail for those that the account has. most: how many
-- rules an account may have.
CREATE OR REPLACE FUNCTION catalogue_take(owner uuid, given json, on_existing text, most bigint)
	RETURNS TABLE (fresh bigint, changed bigint, unchanged bigint, skipped bigint)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	had uuid[];
	taken json;
BEGIN
	PERFORM FROM account WHERE uuid = owner FOR NO KEY UPDATE;
	had := ARRAY(SELECT r.id FROM rule AS r JOIN json_array_elements(given) AS g ON r.id = (g ->> 'id')::uuid
		WHERE r.account_uuid = owner AND r.deleted_at IS NULL ORDER BY 1);
	IF on_existing = 'fail' AND cardinality(had) > 0 THEN
		RAISE EXCEPTION 'the account has the rule %', had[1] USING ERRCODE = 'unique_violation';
	END IF;
	taken := coalesce((SELECT json_agg(g) FROM json_array_elements(given) AS g
		WHERE on_existing <> 'skip' OR (g ->> 'id')::uuid <> ALL (had)), '[]');
	skipped := json_array_length(given) - json_array_length(taken);
	SELECT count(*) FILTER (WHERE p = 'fresh'), count(*) FILTER (WHERE p = 'changed'), count(*) FILTER (WHERE p = 'unchanged')
	  INTO fresh, changed, unchanged
	  FROM (SELECT catalogue_put(owner, g) AS p FROM json_array_elements(taken) AS g) AS done;
	PERFORM catalogue_relate(owner, taken);
	IF (SELECT count(*) FROM rule WHERE account_uuid = owner AND deleted_at IS NULL) > most THEN
		RAISE EXCEPTION 'an account has at most % rules', most USING ERRCODE = 'check_violation';
	END IF;
	RETURN NEXT;
END
$$;

GRANT EXECUTE ON FUNCTION catalogue_load, catalogue_take TO surfaced_admin;
