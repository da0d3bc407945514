-- SPDX-License-Identifier: ISC
-- Functions of the detector threat-indicators (src/detect/indicators.c), which finds indicators of
-- reports that equal names of assets. A subject is the name of an asset. Names and values are
-- canonical, so they are compared byte by byte.

-- The types of indicators that an asset of a kind can equal.
CREATE OR REPLACE FUNCTION indicator_asset_kinds() RETURNS TABLE (type text, kind text) LANGUAGE sql IMMUTABLE AS $$
	VALUES ('ipv4', 'address'), ('ipv6', 'address'), ('domain', 'domain'), ('domain', 'host'),
		('certificate_sha256', 'certificate'), ('sha256', 'certificate')
$$;

-- The subjects that changed reports concern. A report keeps the indicators that a revision withdraws.
CREATE OR REPLACE FUNCTION indicators_affected(reports text[]) RETURNS TABLE (project_uuid uuid, name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT DISTINCT a.project_uuid, a.name FROM indicator i JOIN indicator_asset_kinds() AS k ON k.type = i.type
	  JOIN asset a ON a.name = i.value AND a.kind = k.kind
	 WHERE i.report_uuid = ANY (reports::uuid[])
$$;

-- The indicators that equal these assets, by type and value, in the reports that the account of the
-- project may read. A verdict of the account overrides the reports: an ignored value is no
-- indicator, and a value with the verdict indicator is one whatever the confidence of reports.
-- valid_until: the time at which the first of them expires; reports: ten of them, by descending
-- confidence.
CREATE OR REPLACE FUNCTION indicators_found(project uuid, subjects text[]) RETURNS TABLE (type text, value text, kind text,
	verdict text, confidence bigint, report_count bigint, first_seen_at timestamptz, last_seen_at timestamptz,
	valid_until timestamptz, reports jsonb) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH subject AS (SELECT DISTINCT ON (k.type, a.name) k.type, a.name, a.kind, p.account_uuid
		  FROM asset a JOIN project p ON p.uuid = a.project_uuid JOIN indicator_asset_kinds() AS k ON k.kind = a.kind
		 WHERE a.project_uuid = project AND a.name = ANY (subjects) ORDER BY k.type, a.name, a.kind DESC),
	hit AS (SELECT s.type, s.name, s.kind, v.disposition, i.confidence, i.valid_until, r.uuid, r.title, r.publisher, r.published_at,
			r.threat_actors, r.malware_families, coalesce(i.first_seen_at, r.published_at, r.first_seen) AS first,
			coalesce(i.last_seen_at, r.published_at, r.last_seen) AS last,
			row_number() OVER (PARTITION BY s.type, s.name ORDER BY i.confidence DESC, r.published_at DESC NULLS LAST, r.uuid) AS n
		  FROM subject s JOIN indicator i ON i.type = s.type AND md5(i.value) = md5(s.name) AND i.value = s.name
		  JOIN report r ON r.uuid = i.report_uuid AND r.status = 'published'
			AND (r.account_uuid IS NULL OR r.account_uuid = s.account_uuid)
		  LEFT JOIN indicator_verdict v ON v.account_uuid = s.account_uuid AND v.type = i.type AND md5(v.value) = md5(i.value)
		 WHERE i.withdrawn_at IS NULL AND CASE WHEN v.disposition IS NOT NULL THEN true ELSE i.disposition = 'indicator'
			AND i.confidence >= 60 AND (i.valid_until IS NULL OR i.valid_until > now()) END)
	SELECT h.type, h.name, min(h.kind), min(h.disposition), max(h.confidence)::bigint, count(*), min(h.first), max(h.last),
	       min(h.valid_until) FILTER (WHERE h.valid_until > now()),
	       jsonb_agg(jsonb_build_object('uuid', h.uuid, 'title', left(h.title, 200), 'publisher', h.publisher,
			'published_at', h.published_at, 'confidence', h.confidence, 'threat_actors', to_jsonb(h.threat_actors[1:5]),
			'malware_families', to_jsonb(h.malware_families[1:5])) ORDER BY h.n) FILTER (WHERE h.n <= 10)
	  FROM hit h GROUP BY 1, 2 ORDER BY 1, 2
$$;

GRANT EXECUTE ON FUNCTION indicators_affected, indicators_found TO surfaced_detect;
