-- SPDX-License-Identifier: ISC
-- The external surface of a project: its inventory, services and findings (C-115 to C-119, C-780).

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
	-- Until when the metadata are known. last_seen_at cannot tell: services and findings move it too.
	metadata_seen_at timestamptz,
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

-- src/tbl/finding_moves.h has the same moves; t/house/states.t compares them.
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
	status_event text NOT NULL DEFAULT 'found', -- of the last move; the audit log names it
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

-- Moves of a finding are audited one by one. An import is audited as a whole, since no person acted on a record.
CREATE TRIGGER audit_row AFTER UPDATE ON finding FOR EACH ROW
	WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION audit_row('uuid', 'status_event');
GRANT SELECT ON asset, asset_service, finding, finding_move TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON asset, asset_service, finding TO surfaced_admin;
GRANT UPDATE (status, status_event, status_changed_at, status_changed_by_membership_uuid, resolved_at,
	resolved_by_membership_uuid) ON finding TO surfaced_api;
