-- SPDX-License-Identifier: ISC
-- surfacectl import of assets, services and findings, a batch of records a call. surfacectl has checked
-- every member. When a batch has two records of one key, the later one counts. Whatever the order in which
-- files are imported, the observation with the later last_seen_at wins; an older one only fills in what is
-- missing.

-- Stores the assets of a file: its asset records, and the assets that its services and findings name.
CREATE OR REPLACE FUNCTION import_assets(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint)
	LANGUAGE sql AS $$
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
			metadata = CASE WHEN excluded.metadata_seen_at < a.metadata_seen_at THEN excluded.metadata || a.metadata
				ELSE a.metadata || excluded.metadata END,
			metadata_seen_at = greatest(a.metadata_seen_at, excluded.metadata_seen_at),
			first_seen_at = least(a.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
			discovery_channel = coalesce(excluded.discovery_channel, a.discovery_channel),
			discovery_provider = coalesce(excluded.discovery_provider, a.discovery_provider),
			source_name = coalesce(excluded.source_name, a.source_name),
			source_ref = coalesce(excluded.source_ref, a.source_ref),
			updated_at = CASE WHEN a.metadata = CASE WHEN excluded.metadata_seen_at < a.metadata_seen_at
				THEN excluded.metadata || a.metadata ELSE a.metadata || excluded.metadata END
				THEN a.updated_at ELSE now() END
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM stored
$$;

-- Stores services and the assets they name.
CREATE OR REPLACE FUNCTION import_services(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint)
	LANGUAGE plpgsql AS $$
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
		-- The newer record replaces all members, as for a service of a host; an older record only makes
		-- first_seen_at earlier.
		ON CONFLICT ON CONSTRAINT asset_service_project_uuid_service_key_key DO UPDATE SET
			(asset_uuid, protocol, confidence, technologies, tls_enabled, metadata, last_observed_at,
			discovery_channel, discovery_provider, source_name, source_ref, endpoint, hostname, ip, port, url,
			product, service_name, version, http_status_code, http_title, tls_certificate_asset_uuid,
			updated_at) = (SELECT w.asset_uuid, w.protocol, w.confidence, w.technologies, w.tls_enabled,
				w.metadata, w.last_observed_at, w.discovery_channel, w.discovery_provider, w.source_name,
				w.source_ref, w.endpoint, w.hostname, w.ip, w.port, w.url, w.product, w.service_name, w.version,
				w.http_status_code, w.http_title, w.tls_certificate_asset_uuid,
				CASE WHEN excluded.last_seen_at < s.last_seen_at
				      OR (to_jsonb(s) - '{uuid,created_at,updated_at,first_seen_at,last_seen_at,last_observed_at}'::text[])
				       = (to_jsonb(excluded) - '{uuid,created_at,updated_at,first_seen_at,last_seen_at,last_observed_at}'::text[])
				     THEN s.updated_at ELSE now() END
			FROM (SELECT (CASE WHEN excluded.last_seen_at < s.last_seen_at THEN s ELSE excluded END).*) AS w),
			first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at)
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM stored;
END
$$;

-- Stores findings and the assets they name. reopened: how many of the changed findings had been resolved
-- before they were seen again.
CREATE OR REPLACE FUNCTION import_findings(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint, reopened bigint)
	LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	again bigint;
BEGIN
	PERFORM import_assets(project, coalesce((SELECT jsonb_agg(jsonb_build_object('kind', r -> 'asset_kind', 'name', r -> 'asset_name'))
		FROM jsonb_array_elements(records) AS r WHERE r ? 'asset_name'), '[]'));
	UPDATE finding f SET status = m.to_status, status_event = m.event, status_changed_at = now(),
		status_changed_by_membership_uuid = NULL, resolved_at = NULL, resolved_by_membership_uuid = NULL
	  FROM finding_move m, (SELECT r.finding_key, max(coalesce(r.last_seen_at, now())) AS last
		FROM jsonb_to_recordset(records) AS r(finding_key text, last_seen_at timestamptz) GROUP BY 1) AS g
	 WHERE f.project_uuid = project AND f.finding_key = g.finding_key
	   AND m.event = 'seen_again' AND m.from_status = f.status AND g.last > f.resolved_at;
	GET DIAGNOSTICS again = ROW_COUNT;
	RETURN QUERY WITH given AS (
		SELECT DISTINCT ON (r.finding_key) r.*,
		       min(coalesce(r.first_seen_at, least(r.last_seen_at, now()))) OVER same AS first,
		       max(coalesce(r.last_seen_at, now())) OVER same AS last
		  FROM ROWS FROM (jsonb_to_recordset(records) AS (finding_key text, finding_type text,
			exposure_kind text, title text, description text, severity text, status_note text, asset_kind text,
			asset_name text, service_key text, first_seen_at timestamptz, last_seen_at timestamptz,
			discovery_channel text, discovery_provider text, source_name text, source_ref text)) WITH ORDINALITY AS r
		WINDOW same AS (PARTITION BY r.finding_key)
		 ORDER BY r.finding_key, r.ordinality DESC),
	stored AS (
		INSERT INTO finding AS f (project_uuid, asset_uuid, service_uuid, finding_key, finding_type, exposure_kind,
			title, description, severity, status_note, first_seen_at, last_seen_at, discovery_channel,
			discovery_provider, source_name, source_ref)
		SELECT project, coalesce(a.uuid, s.asset_uuid), s.uuid, g.finding_key, g.finding_type, g.exposure_kind,
		       g.title, g.description, coalesce(g.severity, 'info'), g.status_note, least(first, last), last,
		       g.discovery_channel, g.discovery_provider, g.source_name, g.source_ref
		  FROM given g
		  LEFT JOIN asset a ON a.project_uuid = project AND a.kind = g.asset_kind AND a.name = g.asset_name
		  LEFT JOIN asset_service s ON s.project_uuid = project AND s.service_key = g.service_key
		 ORDER BY g.finding_key
		ON CONFLICT ON CONSTRAINT finding_project_uuid_finding_key_key DO UPDATE SET
			(asset_uuid, service_uuid, finding_type, exposure_kind, title, description, severity, status_note,
			discovery_channel, discovery_provider, source_name, source_ref, updated_at) = (SELECT
				coalesce(w.asset_uuid, o.asset_uuid), coalesce(w.service_uuid, o.service_uuid), w.finding_type,
				coalesce(w.exposure_kind, o.exposure_kind), w.title, coalesce(w.description, o.description),
				w.severity, coalesce(w.status_note, o.status_note),
				coalesce(w.discovery_channel, o.discovery_channel),
				coalesce(w.discovery_provider, o.discovery_provider), coalesce(w.source_name, o.source_name),
				coalesce(w.source_ref, o.source_ref),
				CASE WHEN (f.finding_type, f.title, f.severity, f.description) IS DISTINCT FROM (w.finding_type,
					w.title, w.severity, coalesce(w.description, o.description)) THEN now() ELSE f.updated_at END
			FROM (SELECT (CASE WHEN excluded.last_seen_at < f.last_seen_at THEN f ELSE excluded END).*) AS w,
			     (SELECT (CASE WHEN excluded.last_seen_at < f.last_seen_at THEN excluded ELSE f END).*) AS o),
			first_seen_at = least(f.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at)
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), again FROM stored;
END
$$;

GRANT EXECUTE ON FUNCTION import_assets, import_services, import_findings TO surfaced_admin;
