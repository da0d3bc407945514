-- SPDX-License-Identifier: ISC
-- External surface of a project: the inventory, its services, what was found. SPEC 2.7, 2.8, CONTRACT A5.

-- The projects that a key sees: those of its account, within its owner's ceiling and its own (C-116).
-- For /projects and for every path below it.
CREATE FUNCTION visible_projects(key uuid) RETURNS TABLE (uuid uuid, account uuid, name text, manager boolean,
	created_at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT p.uuid, p.account_uuid, p.name, m.role = 'owner' OR coalesce(pm.role = 'manager', false), p.created_at
	  FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
	  JOIN project p ON p.account_uuid = k.account_uuid
	  LEFT JOIN project_member pm ON pm.project_uuid = p.uuid AND pm.member_uuid = m.uuid
	 WHERE k.uuid = key AND (k.projects IS NULL OR p.uuid = ANY (k.projects))
	   AND (m.role = 'owner' OR m.all_projects OR pm.member_uuid IS NOT NULL)
$$;
GRANT EXECUTE ON FUNCTION visible_projects TO surfaced_api, surfaced_admin;

CREATE TABLE asset (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	kind text NOT NULL CHECK (kind IN ('domain', 'host', 'certificate', 'address')),
	name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 500),
	metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(), -- of what is known, not of when it was seen
	first_seen_at timestamptz NOT NULL,
	last_seen_at timestamptz NOT NULL,
	discovery_channel text,
	discovery_provider text,
	source_name text,
	source_ref text,
	CHECK (first_seen_at <= last_seen_at),
	UNIQUE (project_uuid, kind, name),
	UNIQUE (project_uuid, uuid)
);
CREATE INDEX asset_page ON asset (project_uuid, created_at DESC, uuid);

CREATE TABLE asset_service (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL,
	asset_uuid uuid NOT NULL,
	service_key text NOT NULL CHECK (char_length(service_key) BETWEEN 1 AND 500),
	protocol text,
	confidence double precision CHECK (confidence BETWEEN 0 AND 1),
	technologies text[] NOT NULL DEFAULT '{}' CHECK (array_position(technologies, NULL) IS NULL),
	tls_enabled boolean,
	metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	first_seen_at timestamptz NOT NULL,
	last_seen_at timestamptz NOT NULL,
	last_observed_at timestamptz NOT NULL,
	discovery_channel text,
	discovery_provider text,
	source_name text,
	source_ref text,
	endpoint text,
	hostname text,
	ip inet CHECK (masklen(ip) = CASE family(ip) WHEN 4 THEN 32 ELSE 128 END),
	port integer CHECK (port BETWEEN 0 AND 65535),
	url text,
	product text,
	service_name text,
	version text,
	http_status_code integer CHECK (http_status_code BETWEEN 100 AND 999),
	http_title text,
	tls_certificate_asset_uuid uuid,
	CHECK (first_seen_at <= last_seen_at),
	FOREIGN KEY (project_uuid, asset_uuid) REFERENCES asset (project_uuid, uuid),
	FOREIGN KEY (project_uuid, tls_certificate_asset_uuid) REFERENCES asset (project_uuid, uuid),
	UNIQUE (project_uuid, service_key),
	UNIQUE (project_uuid, uuid)
);
CREATE INDEX asset_service_page ON asset_service (project_uuid, created_at DESC, uuid);
CREATE INDEX asset_service_asset ON asset_service (asset_uuid);

-- The moves of src/tbl/finding_moves.h; t/house/states.t holds them equal.
CREATE TABLE finding_move (
	event text NOT NULL,
	from_status text NOT NULL,
	to_status text NOT NULL,
	PRIMARY KEY (event, from_status)
);
INSERT INTO finding_move VALUES
	('resolve', 'open', 'resolved'),
	('resolve', 'acknowledged', 'resolved'),
	('resolve', 'accepted_risk', 'resolved'),
	('resolve', 'false_positive', 'resolved'),
	('acknowledge', 'open', 'acknowledged'),
	('accept_risk', 'open', 'accepted_risk'),
	('accept_risk', 'acknowledged', 'accepted_risk'),
	('accept_risk', 'false_positive', 'accepted_risk'),
	('false_positive', 'open', 'false_positive'),
	('false_positive', 'acknowledged', 'false_positive'),
	('false_positive', 'accepted_risk', 'false_positive'),
	('reopen', 'acknowledged', 'open'),
	('reopen', 'accepted_risk', 'open'),
	('reopen', 'false_positive', 'open'),
	('reopen', 'resolved', 'open'),
	('seen_again', 'resolved', 'open');

CREATE TABLE finding (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	project_uuid uuid NOT NULL REFERENCES project,
	asset_uuid uuid,
	service_uuid uuid,
	finding_key text NOT NULL CHECK (char_length(finding_key) BETWEEN 1 AND 500),
	finding_type text NOT NULL CHECK (char_length(finding_type) BETWEEN 1 AND 200),
	exposure_kind text,
	title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 500),
	description text,
	severity text NOT NULL DEFAULT 'info' CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')),
	status text NOT NULL DEFAULT 'open'
		CHECK (status IN ('open', 'acknowledged', 'accepted_risk', 'false_positive', 'resolved')),
	status_event text NOT NULL DEFAULT 'found', -- the last move's: for the audit
	status_note text,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(), -- of what was observed; moves leave it
	first_seen_at timestamptz NOT NULL,
	last_seen_at timestamptz NOT NULL,
	status_changed_at timestamptz,
	resolved_at timestamptz,
	created_by_membership_uuid uuid REFERENCES member,
	resolved_by_membership_uuid uuid REFERENCES member,
	status_changed_by_membership_uuid uuid REFERENCES member,
	discovery_channel text,
	discovery_provider text,
	source_name text,
	source_ref text,
	CHECK (first_seen_at <= last_seen_at),
	CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
	FOREIGN KEY (project_uuid, asset_uuid) REFERENCES asset (project_uuid, uuid),
	FOREIGN KEY (project_uuid, service_uuid) REFERENCES asset_service (project_uuid, uuid),
	UNIQUE (project_uuid, finding_key)
);
CREATE INDEX finding_page ON finding (project_uuid, created_at DESC, uuid);

-- What scans say is no act of a person: an import leaves one line, a finding's moves one each.
CREATE TRIGGER audit_row AFTER UPDATE ON finding FOR EACH ROW
	WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION audit_row('uuid', 'status_event');

-- ---- imports: surfacectl has checked every member of the records; of two of one key the later wins ----

-- The assets of records that stand behind one another, and those that services and findings name.
CREATE FUNCTION import_assets(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint)
	LANGUAGE sql AS $$
	WITH given AS (
		SELECT DISTINCT ON (kind, name) kind, name, metadata, discovery_channel, discovery_provider, source_name,
		       source_ref, min(coalesce(first_seen_at, least(last_seen_at, now()))) OVER same AS first,
		       max(coalesce(last_seen_at, now())) OVER same AS last
		  FROM ROWS FROM (jsonb_to_recordset(records) AS (kind text, name text, metadata jsonb,
			first_seen_at timestamptz, last_seen_at timestamptz, discovery_channel text, discovery_provider text,
			source_name text, source_ref text)) WITH ORDINALITY AS r
		WINDOW same AS (PARTITION BY kind, name)
		 ORDER BY kind, name, ordinality DESC),
	stored AS (
		INSERT INTO asset AS a (project_uuid, kind, name, metadata, first_seen_at, last_seen_at, discovery_channel,
			discovery_provider, source_name, source_ref)
		SELECT project, kind, name, coalesce(metadata, '{}'), least(first, last), last, discovery_channel,
		       discovery_provider, source_name, source_ref
		  FROM given ORDER BY kind, name
		ON CONFLICT (project_uuid, kind, name) DO UPDATE SET
			metadata = a.metadata || excluded.metadata,
			first_seen_at = least(a.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
			discovery_channel = coalesce(excluded.discovery_channel, a.discovery_channel),
			discovery_provider = coalesce(excluded.discovery_provider, a.discovery_provider),
			source_name = coalesce(excluded.source_name, a.source_name),
			source_ref = coalesce(excluded.source_ref, a.source_ref),
			updated_at = CASE WHEN a.metadata || excluded.metadata = a.metadata THEN a.updated_at ELSE now() END
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM stored
$$;

CREATE FUNCTION import_services(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint)
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
		-- The newer record wins whole, as a service of a host does; an older one only widens the times.
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

-- reopened: of those that are changed, what had been resolved before it was seen again.
CREATE FUNCTION import_findings(project uuid, records jsonb) RETURNS TABLE (fresh bigint, changed bigint, reopened bigint)
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
			asset_uuid = coalesce(excluded.asset_uuid, f.asset_uuid),
			service_uuid = coalesce(excluded.service_uuid, f.service_uuid),
			finding_type = excluded.finding_type,
			exposure_kind = coalesce(excluded.exposure_kind, f.exposure_kind),
			title = excluded.title,
			description = coalesce(excluded.description, f.description),
			severity = excluded.severity,
			status_note = coalesce(excluded.status_note, f.status_note),
			first_seen_at = least(f.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at),
			discovery_channel = coalesce(excluded.discovery_channel, f.discovery_channel),
			discovery_provider = coalesce(excluded.discovery_provider, f.discovery_provider),
			source_name = coalesce(excluded.source_name, f.source_name),
			source_ref = coalesce(excluded.source_ref, f.source_ref),
			updated_at = CASE WHEN (f.finding_type, f.title, f.severity, f.description)
				IS DISTINCT FROM (excluded.finding_type, excluded.title, excluded.severity,
				coalesce(excluded.description, f.description)) THEN now() ELSE f.updated_at END
		RETURNING xmax = 0 AS is_new)
	SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), again FROM stored;
END
$$;

GRANT EXECUTE ON FUNCTION import_assets, import_services, import_findings TO surfaced_admin;
GRANT SELECT ON asset, asset_service, finding, finding_move TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON asset, asset_service, finding TO surfaced_admin;
GRANT UPDATE (status, status_event, status_changed_at, status_changed_by_membership_uuid, resolved_at,
	resolved_by_membership_uuid) ON finding TO surfaced_api;
