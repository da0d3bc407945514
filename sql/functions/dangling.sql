-- SPDX-License-Identifier: ISC
-- Functions of the detector dangling-dns (src/detect/dangling.c). A subject is a name. The subject
-- "+example.org", or "+example.org KEY" for a later page, asks for the names at and below a domain.
--
--   dangling_affected   names of projects that lead to what has changed
--   dangling_roots      the domains and hosts of a project
--   dangling_names      the names at and below a domain
--   dangling_documents  documents by ranges of their keys
--   dangling_assets     which of these names are domains or hosts of the project
--   dangling_pages      captures of hosts
--   dangling_addresses  addresses of cloud providers, and whether they are the project's

-- The projects that have a name or a parent domain of it as an asset.
CREATE OR REPLACE FUNCTION dangling_owners(names text[]) RETURNS TABLE (project_uuid uuid, name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT DISTINCT a.project_uuid, n FROM unnest(names) AS n
	  CROSS JOIN LATERAL (SELECT array_to_string(l[i:], '.') AS zone
		  FROM (SELECT string_to_array(n, '.') AS l) AS s, generate_subscripts(l, 1) AS i) AS z
	  JOIN asset a ON a.name = z.zone AND (a.kind = 'domain' OR (a.kind = 'host' AND a.name = n))
	  JOIN detector_projects() AS p ON p.project_uuid = a.project_uuid
$$;

-- At most `most` of the hosts; hosts of a project come first.
CREATE OR REPLACE FUNCTION dangling_first(hosts text[], most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF cardinality(hosts) <= most THEN
		RETURN QUERY SELECT unnest(hosts);
	ELSE
		RETURN QUERY SELECT h FROM (SELECT DISTINCT h FROM unnest(hosts) AS h) AS s
			  LEFT JOIN (SELECT DISTINCT o.name FROM dangling_owners(hosts) AS o) AS o ON o.name = h
			 ORDER BY o.name IS NULL, h LIMIT most;
	END IF;
END
$$;

-- The names of projects that lead to changed names, to names below them, or to addresses, over at
-- most eight aliases. The changed names are included. Each step takes at most `most` names for each
-- target, chosen from most_read; no further step is made when there are more than 20,000 names.
CREATE OR REPLACE FUNCTION dangling_affected(names text[], domains text[], ips text[], most bigint, most_read bigint)
	RETURNS TABLE (project_uuid uuid, name text) LANGUAGE plpgsql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	found text[] := names;
	fresh text[];
BEGIN
	fresh := ARRAY(
		SELECT h FROM unnest(names || ips) AS n CROSS JOIN LATERAL dangling_first(ARRAY(SELECT d.doc::json ->> 'host' FROM record_dns d
			WHERE NOT d.gone AND dangling_type(d.key) IN (1, 2, 5, 15, 28, 33)
			  AND dangling_target(d.doc) COLLATE "C" = CASE WHEN n ~ '^[0-9.]+$|:' THEN n ELSE reverse('.' || n) END
			LIMIT most_read), most) AS h
		UNION
		SELECT h FROM unnest(domains) AS n CROSS JOIN LATERAL dangling_first(ARRAY(SELECT d.doc::json ->> 'host' FROM record_dns d
			WHERE NOT d.gone AND dangling_type(d.key) IN (1, 2, 5, 15, 28, 33)
			  AND dangling_target(d.doc) COLLATE "C" >= reverse('.' || n)
			  AND dangling_target(d.doc) COLLATE "C" < reverse('.' || n) || chr(127)
			LIMIT most_read), most) AS h
		UNION
		SELECT h FROM unnest(names || domains) AS n CROSS JOIN LATERAL dangling_first(ARRAY(SELECT d.doc::json ->> 'host' FROM record_dns d
			WHERE NOT d.gone AND dangling_type(d.key) = 16 AND d.doc ILIKE '%v=spf1%' AND dangling_spf(d.doc) @> ARRAY[n]
			LIMIT most_read), most) AS h);
	FOR hop IN 1..8 LOOP
		fresh := ARRAY(SELECT n FROM unnest(fresh) AS n EXCEPT SELECT n FROM unnest(found) AS n);
		EXIT WHEN fresh = '{}';
		found := found || fresh;
		EXIT WHEN cardinality(found) > 20000;
		fresh := ARRAY(SELECT DISTINCT h FROM unnest(fresh) AS n CROSS JOIN LATERAL dangling_first(ARRAY(SELECT d.doc::json ->> 'host'
			FROM record_dns d WHERE NOT d.gone AND dangling_type(d.key) IN (1, 2, 5, 15, 28, 33) AND dangling_type(d.key) = 5
			  AND dangling_target(d.doc) COLLATE "C" = reverse('.' || n) LIMIT most_read), most) AS h);
	END LOOP;
	RETURN QUERY SELECT o.project_uuid, o.name FROM dangling_owners(found) AS o;
END
$$;

CREATE OR REPLACE FUNCTION dangling_roots(project uuid) RETURNS TABLE (kind text, name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT a.kind, a.name FROM asset a WHERE a.project_uuid = project AND a.kind IN ('domain', 'host') ORDER BY a.kind, a.name
$$;

-- Keys of DNS records in a range that excludes `after`.
CREATE OR REPLACE FUNCTION dangling_names(after text, behind text, most bigint) RETURNS TABLE (key text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(r.key, 'hex') FROM record r WHERE r.dataset = 3 AND NOT r.gone AND r.key > decode(after, 'hex')
		AND r.key < decode(behind, 'hex') ORDER BY r.key LIMIT most
$$;

-- The documents whose keys are in the ranges, at most `most` for each range.
CREATE OR REPLACE FUNCTION dangling_documents(d smallint, froms text[], behinds text[], most bigint)
	RETURNS TABLE (doc text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT r.doc FROM unnest(froms, behinds) AS k (f, b) CROSS JOIN LATERAL (SELECT o.doc FROM record o
		 WHERE o.dataset = d AND o.key >= decode(k.f, 'hex') AND o.key < decode(k.b, 'hex') AND NOT o.gone
		 ORDER BY o.key LIMIT most) AS r
$$;

CREATE OR REPLACE FUNCTION dangling_assets(project uuid, names text[]) RETURNS TABLE (kind text, name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT a.kind, a.name FROM asset a
	 WHERE a.project_uuid = project AND a.kind IN ('domain', 'host') AND a.name = ANY (names) ORDER BY a.kind, a.name
$$;

CREATE OR REPLACE FUNCTION dangling_takeovers() RETURNS TABLE (suffix text, provider text, mode text, claim text, page text)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT t.suffix, t.provider, t.mode, t.claim, t.page FROM takeover_imported t ORDER BY t.suffix
$$;

-- The newest capture of each host.
CREATE OR REPLACE FUNCTION dangling_pages(project uuid, hosts text[])
	RETURNS TABLE (hostname text, takeover_providers text[], captured_at timestamptz) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT DISTINCT ON (c.hostname) c.hostname, c.takeover_providers, c.captured_at FROM capture c
	 WHERE c.project_uuid = project AND c.hostname = ANY (hosts) ORDER BY c.hostname, c.captured_at DESC
$$;

-- For each address: its smallest cloud prefix that is not shared, and whether the project has
-- declared this address, or another address of the same provider, to be its own.
CREATE OR REPLACE FUNCTION dangling_addresses(project uuid, ips text[])
	RETURNS TABLE (ip text, provider text, region text, allocated boolean, allocates boolean) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH own AS MATERIALIZED (SELECT a.name FROM asset a
		 WHERE a.project_uuid = project AND a.kind = 'address' AND dangling_is_allocated(a.metadata)),
	at AS (SELECT DISTINCT c.provider FROM own JOIN cloud_prefix c ON c.prefix >>= own.name::inet)
	SELECT i, c.provider, c.region, EXISTS (SELECT FROM own WHERE own.name = i), EXISTS (SELECT FROM at WHERE at.provider = c.provider)
	  FROM unnest(ips) AS i CROSS JOIN LATERAL (SELECT p.provider, p.region FROM cloud_prefix p
		 WHERE p.prefix >>= i::inet ORDER BY masklen(p.prefix) DESC, p.provider LIMIT 1) AS c
	 WHERE NOT EXISTS (SELECT FROM cloud_prefix s WHERE s.prefix >>= i::inet AND s.shared)
$$;

-- The times since when the services of hosts have had their present certificates, by the history of
-- the hosts. key: of the table record. A service that is missing in the result has had its
-- certificate since first_seen.
CREATE OR REPLACE FUNCTION dangling_certificates(keys text[]) RETURNS TABLE (key text, port bigint, transport text, since timestamptz)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(e.key, 'hex'), (e.what::json -> 'service' ->> 'port')::bigint, e.what::json -> 'service' ->> 'transport', max(e.at)
	  FROM record_event e
	 WHERE e.dataset = 1 AND e.key = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(keys) AS k)) AND e.kind IN (4, 5)
	   AND e.what LIKE '%"tls.certificate.%'
	 GROUP BY 1, 2, 3
$$;

GRANT EXECUTE ON FUNCTION dangling_affected, dangling_roots, dangling_names, dangling_documents, dangling_assets, dangling_takeovers,
	dangling_pages, dangling_addresses, dangling_certificates TO surfaced_detect;
