-- SPDX-License-Identifier: ISC
-- surfacectl import of assets, services and findings, a batch of records a call. surfacectl has checked
-- every member. When a batch has two records of one key, the later one counts. Whatever the order in which
-- files are imported, the observation with the later last_seen_at wins; an older one only fills in what is
-- missing. A record that adds nothing writes no row (C-127).

-- The stored asset with what a record adds to it. Nothing that a record repeats makes another row.
CREATE OR REPLACE FUNCTION import_asset_merged(stored asset, given asset) RETURNS asset LANGUAGE plpgsql STABLE AS $$
DECLARE
	r asset := stored;
BEGIN
	r.metadata := CASE WHEN given.metadata_seen_at < stored.metadata_seen_at THEN given.metadata || stored.metadata
		ELSE stored.metadata || given.metadata END;
	r.metadata_seen_at := greatest(stored.metadata_seen_at, given.metadata_seen_at);
	r.first_seen_at := least(stored.first_seen_at, given.first_seen_at);
	r.last_seen_at := greatest(stored.last_seen_at, given.last_seen_at);
	r.discovery_channel := coalesce(given.discovery_channel, stored.discovery_channel);
	r.discovery_provider := coalesce(given.discovery_provider, stored.discovery_provider);
	r.source_name := coalesce(given.source_name, stored.source_name);
	r.source_ref := coalesce(given.source_ref, stored.source_ref);
	IF r.metadata <> stored.metadata THEN
		r.updated_at := now();
	END IF;
	RETURN r;
END
$$;

-- Stores the assets of a file: its asset records, and the assets that its services and findings name.
CREATE OR REPLACE FUNCTION import_assets(project uuid, records jsonb)
	RETURNS TABLE (fresh bigint, known bigint, changed bigint) LANGUAGE sql AS $$
	WITH given AS (
		SELECT DISTINCT ON (kind, name) kind, name, metadata, discovery_channel, discovery_provider, source_name,
		       source_ref, coalesce(last_seen_at, now()) AS said,
		       min(coalesce(first_seen_at, least(last_seen_at, now()))) OVER same AS first,
		       max(coalesce(last_seen_at, now())) OVER same AS last
		  FROM ROWS FROM (jsonb_to_recordset(records) AS (kind text, name text, metadata jsonb,
			first_seen_at timestamptz, last_seen_at timestamptz, discovery_channel text, discovery_provider text,
			source_name text, source_ref text)) WITH ORDINALITY AS r
		WINDOW same AS (PARTITION BY kind, name)
		 ORDER BY kind, name, ordinality DESC),
	stored AS (
		INSERT INTO asset AS a (project_uuid, kind, name, metadata, metadata_seen_at, first_seen_at, last_seen_at,
			discovery_channel, discovery_provider, source_name, source_ref)
		SELECT project, kind, name, coalesce(metadata, '{}'), CASE WHEN metadata <> '{}' THEN said END,
		       least(first, last), last, discovery_channel, discovery_provider, source_name, source_ref
		  FROM given ORDER BY kind, name
		ON CONFLICT (project_uuid, kind, name) DO UPDATE SET
			(metadata, metadata_seen_at, first_seen_at, last_seen_at, discovery_channel, discovery_provider,
			source_name, source_ref, updated_at) = (SELECT m.metadata, m.metadata_seen_at, m.first_seen_at,
				m.last_seen_at, m.discovery_channel, m.discovery_provider, m.source_name, m.source_ref,
				m.updated_at FROM import_asset_merged(a, excluded) AS m)
		WHERE a IS DISTINCT FROM import_asset_merged(a, excluded)
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), (SELECT count(*) FROM given) - count(*) FILTER (WHERE is_new),
	       count(*) FILTER (WHERE NOT is_new) FROM stored
$$;

-- The stored service, or the record where it is newer: it replaces all members, as for a service of a host; an older
-- record only makes first_seen_at earlier.
CREATE OR REPLACE FUNCTION import_service_merged(stored asset_service, given asset_service) RETURNS asset_service
	LANGUAGE plpgsql STABLE AS $$
DECLARE
	r asset_service := CASE WHEN given.last_seen_at < stored.last_seen_at THEN stored ELSE given END;
	times text[] := '{uuid,created_at,updated_at,first_seen_at,last_seen_at,last_observed_at}';
BEGIN
	r.uuid := stored.uuid;
	r.created_at := stored.created_at;
	r.updated_at := CASE WHEN to_jsonb(r) - times = to_jsonb(stored) - times THEN stored.updated_at ELSE now() END;
	r.first_seen_at := least(stored.first_seen_at, given.first_seen_at);
	RETURN r;
END
$$;

-- Stores services and the assets they name.
CREATE OR REPLACE FUNCTION import_services(project uuid, records jsonb)
	RETURNS TABLE (fresh bigint, known bigint, changed bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM import_assets(project, (SELECT jsonb_agg(jsonb_strip_nulls(a)) FROM jsonb_array_elements(records) AS r,
		LATERAL (VALUES (jsonb_build_object('kind', r -> 'asset_kind', 'name', r -> 'asset_name',
				'first_seen_at', r -> 'first_seen_at', 'last_seen_at', r -> 'last_seen_at',
				'source_name', r -> 'source_name', 'discovery_channel', r -> 'discovery_channel',
				'discovery_provider', r -> 'discovery_provider')),
			(CASE WHEN r ? 'tls_certificate_sha256' THEN jsonb_build_object('kind', 'certificate',
				'name', r -> 'tls_certificate_sha256', 'first_seen_at', r -> 'first_seen_at',
				'last_seen_at', r -> 'last_seen_at', 'source_name', r -> 'source_name') END)) AS v(a)
		WHERE a IS NOT NULL));
	RETURN QUERY WITH given AS (
		SELECT DISTINCT ON (r.service_key) r.*,
		       min(coalesce(r.first_seen_at, least(r.last_seen_at, now()))) OVER same AS first,
		       max(coalesce(r.last_seen_at, now())) OVER same AS last
		  FROM ROWS FROM (jsonb_to_recordset(records) AS (service_key text, asset_kind text, asset_name text,
			tls_certificate_sha256 text, protocol text, confidence double precision, technologies text[],
			tls_enabled boolean, metadata jsonb, first_seen_at timestamptz, last_seen_at timestamptz,
			last_observed_at timestamptz, discovery_channel text, discovery_provider text, source_name text,
			source_ref text, endpoint text, hostname text, ip inet, port integer, url text, product text,
			service_name text, version text, http_status_code integer, http_title text)) WITH ORDINALITY AS r
		WINDOW same AS (PARTITION BY r.service_key)
		 ORDER BY r.service_key, r.ordinality DESC),
	stored AS (
		INSERT INTO asset_service AS s (project_uuid, asset_uuid, service_key, protocol, confidence, technologies,
			tls_enabled, metadata, first_seen_at, last_seen_at, last_observed_at, discovery_channel,
			discovery_provider, source_name, source_ref, endpoint, hostname, ip, port, url, product, service_name,
			version, http_status_code, http_title, tls_certificate_asset_uuid)
		SELECT project, a.uuid, g.service_key, g.protocol, nullif(g.confidence, -1), coalesce(g.technologies, '{}'),
		       g.tls_enabled, coalesce(g.metadata, '{}'), least(first, last), last,
		       coalesce(g.last_observed_at, last), g.discovery_channel, g.discovery_provider, g.source_name,
		       g.source_ref, g.endpoint, g.hostname, g.ip, nullif(g.port, -1), g.url, g.product, g.service_name,
		       g.version, nullif(g.http_status_code, -1), g.http_title, c.uuid
		  FROM given g
		  JOIN asset a ON a.project_uuid = project AND a.kind = g.asset_kind AND a.name = g.asset_name
		  LEFT JOIN asset c ON c.project_uuid = project AND c.kind = 'certificate' AND c.name = g.tls_certificate_sha256
		 ORDER BY g.service_key
		ON CONFLICT ON CONSTRAINT asset_service_project_uuid_service_key_key DO UPDATE SET
			(asset_uuid, protocol, confidence, technologies, tls_enabled, metadata, last_observed_at,
			discovery_channel, discovery_provider, source_name, source_ref, endpoint, hostname, ip, port, url,
			product, service_name, version, http_status_code, http_title, tls_certificate_asset_uuid,
			updated_at, first_seen_at, last_seen_at) = (SELECT m.asset_uuid, m.protocol, m.confidence,
				m.technologies, m.tls_enabled, m.metadata, m.last_observed_at, m.discovery_channel,
				m.discovery_provider, m.source_name, m.source_ref, m.endpoint, m.hostname, m.ip, m.port, m.url,
				m.product, m.service_name, m.version, m.http_status_code, m.http_title,
				m.tls_certificate_asset_uuid, m.updated_at, m.first_seen_at, m.last_seen_at
			FROM import_service_merged(s, excluded) AS m)
		WHERE s IS DISTINCT FROM import_service_merged(s, excluded)
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), (SELECT count(*) FROM given) - count(*) FILTER (WHERE is_new),
	       count(*) FILTER (WHERE NOT is_new) FROM stored;
END
$$;

-- Stores findings and the assets they name (finding.sql). A record of absence shows no asset.
CREATE OR REPLACE FUNCTION import_findings(project uuid, records jsonb)
	RETURNS TABLE (fresh bigint, known bigint, changed bigint, reopened bigint, cleared bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM import_assets(project, coalesce((SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', r -> 'asset_kind',
			'name', r -> 'asset_name', 'first_seen_at', r -> 'first_seen_at', 'last_seen_at', r -> 'last_seen_at')))
		FROM jsonb_array_elements(records) AS r WHERE r ? 'asset_name' AND NOT coalesce((r -> 'absent')::boolean, false)), '[]'));
	RETURN QUERY SELECT * FROM finding_store(project, NULL, records);
END
$$;

GRANT EXECUTE ON FUNCTION import_asset_merged, import_service_merged, import_assets, import_services, import_findings TO surfaced_admin;
