-- SPDX-License-Identifier: ISC
-- Look-alike domains (0013-detectors.sql): reads for surfaced-detect and the preview of the API, and the results
-- of a look.

-- The default score that a look-alike must have. Rankings and registrations recognise honest names;
-- without such data a higher score is needed (LIM_MIN_SCORE, LIM_MIN_SCORE_ALONE).
CREATE OR REPLACE FUNCTION watched_min_score() RETURNS integer LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM domain_ranking) OR EXISTS (SELECT FROM record WHERE dataset = 4 AND NOT gone)
		THEN 60 ELSE 70 END
$$;

-- The watched domains of one project, or of all projects whose accounts have the entitlement.
-- only_enabled: only those with which new names are compared.
CREATE OR REPLACE FUNCTION watched_domains(project uuid, only_enabled boolean) RETURNS TABLE (uuid uuid, project_uuid uuid,
	domain text, words text[], allow text[], min_score integer, enabled boolean) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT w.uuid, w.project_uuid, w.domain, w.words, w.allow, coalesce(w.min_score, watched_min_score()), w.enabled
	  FROM watched_domain w JOIN detector_projects() AS p ON p.project_uuid = w.project_uuid
	 WHERE (project IS NULL OR w.project_uuid = project) AND (w.enabled OR NOT only_enabled) ORDER BY w.uuid
$$;

-- The documents between two keys of a dataset in hexadecimal, at most `most`.
CREATE OR REPLACE FUNCTION lookalike_documents(of_dataset smallint, first text, behind text, most bigint)
	RETURNS TABLE (key text, doc text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(r.key, 'hex'), r.doc FROM record r
	 WHERE of_dataset IN (1, 3, 4, 5) AND r.dataset = of_dataset AND r.key >= decode(first, 'hex') AND r.key < decode(behind, 'hex')
	   AND NOT r.gone ORDER BY r.key LIMIT most
$$;

-- The keys of a dataset after a key, for a walk through all names. The names of certificates and
-- hosts are only in their documents.
CREATE OR REPLACE FUNCTION lookalike_walk(of_dataset smallint, behind text, most bigint) RETURNS TABLE (key text, doc text)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(r.key, 'hex'), CASE of_dataset WHEN 5 THEN r.doc
		WHEN 1 THEN json_build_object('names', r.doc::json -> 'hostnames')::text ELSE '' END FROM record r
	 WHERE of_dataset IN (1, 3, 4, 5) AND r.dataset = of_dataset AND r.key > decode(behind, 'hex') AND NOT r.gone
	 ORDER BY r.key LIMIT most
$$;

-- For each name: whether it is ranked, is a name server of parked domains, or belongs to the
-- project.
CREATE OR REPLACE FUNCTION lookalike_names(project uuid, names text[]) RETURNS TABLE (name text, ranked boolean, parked boolean,
	own boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT n, EXISTS (SELECT FROM domain_ranking r WHERE r.domain = n), EXISTS (SELECT FROM parked_name_server s WHERE s.name = n),
	       EXISTS (SELECT FROM asset a WHERE a.project_uuid = project AND a.kind IN ('domain', 'host') AND a.name = n)
	       OR EXISTS (SELECT FROM watched_domain w WHERE w.project_uuid = project AND w.domain = n)
	  FROM unnest(names) AS n
$$;

-- The stored certificate of a name.
CREATE OR REPLACE FUNCTION lookalike_certificate(watched uuid, name text) RETURNS TABLE (certificate_sha256 text,
	certificate_at timestamptz, certificate_first_seen_at timestamptz, certificate_seen_at timestamptz,
	certificate_shared boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT c.certificate_sha256, c.certificate_at, c.certificate_first_seen_at, c.certificate_seen_at, c.certificate_shared
	  FROM lookalike_candidate c
	 WHERE c.watched_uuid = watched AND c.found = name AND c.certificate_sha256 IS NOT NULL
$$;

-- Stores the results of a look, and deletes names that were below the threshold for 30 days
-- (LIM_CANDIDATE_DAYS).
CREATE OR REPLACE FUNCTION lookalike_keep(candidates jsonb) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	DELETE FROM lookalike_candidate c USING (SELECT watched_uuid, found FROM lookalike_candidate WHERE NOT reported
		AND looked_at < now() - interval '30 days' LIMIT 1000) AS o
	 WHERE c.watched_uuid = o.watched_uuid AND c.found = o.found;
	INSERT INTO lookalike_candidate AS c (watched_uuid, found, class, score, reported, certificate_sha256, certificate_at,
		certificate_first_seen_at, certificate_seen_at, certificate_shared)
	SELECT DISTINCT ON (g.watched_uuid, g.found) g.watched_uuid, g.found, g.class, g.score, g.reported, g.certificate_sha256,
	       g.certificate_at, g.certificate_first_seen_at, g.certificate_seen_at, coalesce(g.certificate_shared, false)
	  FROM jsonb_to_recordset(candidates) AS g(watched_uuid uuid, found text, class text, score integer, reported boolean,
		certificate_sha256 text, certificate_at timestamptz, certificate_first_seen_at timestamptz,
		certificate_seen_at timestamptz, certificate_shared boolean)
	  JOIN watched_domain w ON w.uuid = g.watched_uuid
	 ORDER BY g.watched_uuid, g.found, g.certificate_at DESC NULLS LAST
	ON CONFLICT (watched_uuid, found) DO UPDATE SET class = excluded.class, score = excluded.score, reported = excluded.reported,
		certificate_sha256 = excluded.certificate_sha256, certificate_at = excluded.certificate_at,
		certificate_first_seen_at = excluded.certificate_first_seen_at,
		certificate_seen_at = excluded.certificate_seen_at, certificate_shared = excluded.certificate_shared, looked_at = now()
$$;

GRANT EXECUTE ON FUNCTION watched_min_score TO surfaced_api, surfaced_admin, surfaced_detect;
GRANT EXECUTE ON FUNCTION lookalike_documents, lookalike_walk, lookalike_names, lookalike_certificate TO surfaced_api, surfaced_detect;
GRANT EXECUTE ON FUNCTION watched_domains, lookalike_keep TO surfaced_detect;
