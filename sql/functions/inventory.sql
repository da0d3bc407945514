-- SPDX-License-Identifier: ISC
-- Functions of the detector inventory (src/detect/inventory.c), which adds records below the seed
-- domains as assets and services.

-- The names of a project's seeds: domains whose metadata have a seed that is not false. Null: of all projects.
CREATE OR REPLACE FUNCTION inventory_seeds(project uuid) RETURNS TABLE (project_uuid uuid, name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT a.project_uuid, a.name FROM asset a
	 WHERE (project IS NULL OR a.project_uuid = project) AND a.kind = 'domain' AND a.metadata ? 'seed'
	   AND a.metadata -> 'seed' NOT IN ('false', 'null')
	 ORDER BY 1, 2
$$;

-- Returns those of the addresses that this detector has added to the project.
CREATE OR REPLACE FUNCTION inventory_addresses(project uuid, addresses text[]) RETURNS TABLE (name text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT a.name FROM asset a WHERE a.project_uuid = project AND a.kind = 'address' AND a.name = ANY (addresses)
	   AND a.discovery_channel = 'dataset'
$$;

-- Whether an index with this snapshot contains everything that was visible to the asking
-- transaction. Later documents are followed.
CREATE OR REPLACE FUNCTION inventory_indexed(d smallint, index_snapshot text, asked text) RETURNS boolean LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN index_snapshot IS NULL THEN NOT EXISTS (SELECT FROM record r WHERE r.dataset = d)
		WHEN pg_visible_in_snapshot(asked::xid8, index_snapshot::pg_snapshot) THEN true
		ELSE NOT EXISTS (SELECT FROM record r WHERE r.dataset = d AND r.changed >= pg_snapshot_xmin(index_snapshot::pg_snapshot)
			AND NOT pg_visible_in_snapshot(r.changed, index_snapshot::pg_snapshot)) END
$$;

-- Stores assets [{kind, name, first, last}] and services [{asset, key, ip, port, transport, ...}].
-- For assets of imports only the times are updated. A service with another key at the same port of
-- the same asset is the same service. A project gets at most `most` assets.
CREATE OR REPLACE FUNCTION inventory_store(project uuid, assets jsonb, services jsonb, most bigint) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	room bigint := most - (SELECT count(*) FROM asset a WHERE a.project_uuid = project);
	wanted bigint;
BEGIN
	WITH given AS (SELECT g.kind, g.name, min(g.first) AS first, max(g.last) AS last
		  FROM jsonb_to_recordset(assets) AS g(kind text, name text, first timestamptz, last timestamptz) GROUP BY 1, 2)
	UPDATE asset a SET first_seen_at = least(a.first_seen_at, g.first), last_seen_at = greatest(a.last_seen_at, g.last)
	  FROM given g WHERE a.project_uuid = project AND a.kind = g.kind AND a.name = g.name
	   AND (g.first < a.first_seen_at OR g.last > a.last_seen_at);
	WITH given AS (SELECT g.kind, g.name, least(min(g.first), max(g.last)) AS first, max(g.last) AS last
		  FROM jsonb_to_recordset(assets) AS g(kind text, name text, first timestamptz, last timestamptz) GROUP BY 1, 2),
	fresh AS MATERIALIZED (SELECT g.* FROM given g WHERE NOT EXISTS (SELECT FROM asset a WHERE a.project_uuid = project
		AND a.kind = g.kind AND a.name = g.name) ORDER BY g.kind, g.name),
	stored AS (INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at, discovery_channel)
		SELECT project, f.kind, f.name, f.first, f.last, 'dataset' FROM fresh f ORDER BY f.kind, f.name LIMIT greatest(room, 0)
		ON CONFLICT DO NOTHING)
	SELECT count(*) INTO wanted FROM fresh;
	WITH given AS (SELECT DISTINCT ON (g.key) g.*, a.uuid AS asset_uuid, c.uuid AS certificate_uuid
		  FROM jsonb_to_recordset(services) AS g(asset text, key text, ip inet, port integer, transport text, endpoint text,
			service_name text, product text, version text, http_title text, http_status_code integer, tls_enabled boolean,
			certificate text, first timestamptz, last timestamptz)
		  JOIN asset a ON a.project_uuid = project AND a.kind = 'address' AND a.name = g.asset
		  LEFT JOIN asset c ON c.project_uuid = project AND c.kind = 'certificate' AND c.name = g.certificate
		 ORDER BY g.key, g.last DESC)
	INSERT INTO asset_service AS s (project_uuid, asset_uuid, service_key, protocol, tls_enabled, first_seen_at, last_seen_at,
		last_observed_at, discovery_channel, endpoint, ip, port, product, service_name, version, http_status_code, http_title,
		tls_certificate_asset_uuid)
	SELECT project, g.asset_uuid, g.key, g.transport, g.tls_enabled, least(g.first, g.last), g.last, g.last, 'dataset', g.endpoint,
	       g.ip, g.port, g.product, g.service_name, g.version, g.http_status_code, g.http_title, g.certificate_uuid
	  FROM given g
	 WHERE NOT EXISTS (SELECT FROM asset_service o WHERE o.project_uuid = project AND o.ip = g.ip AND o.port = g.port
		AND o.service_key <> g.key AND coalesce(o.protocol, 'tcp') = g.transport)
	 ORDER BY g.key
	ON CONFLICT ON CONSTRAINT asset_service_project_uuid_service_key_key DO UPDATE SET
		(first_seen_at, last_seen_at, last_observed_at, tls_enabled, product, service_name, version, http_status_code, http_title,
		tls_certificate_asset_uuid) = (SELECT least(s.first_seen_at, excluded.first_seen_at), excluded.last_seen_at,
			excluded.last_observed_at, excluded.tls_enabled, excluded.product, excluded.service_name, excluded.version,
			excluded.http_status_code, excluded.http_title, excluded.tls_certificate_asset_uuid)
	WHERE s.discovery_channel = 'dataset' AND (s.last_seen_at < excluded.last_seen_at OR s.last_seen_at = excluded.last_seen_at
		AND (s.product, s.service_name, s.version, s.http_title, s.tls_certificate_asset_uuid) IS DISTINCT FROM
		(excluded.product, excluded.service_name, excluded.version, excluded.http_title, excluded.tls_certificate_asset_uuid));
	RETURN wanted <= greatest(room, 0);
END
$$;

GRANT EXECUTE ON FUNCTION inventory_seeds, inventory_addresses, inventory_indexed, inventory_store TO surfaced_detect;
