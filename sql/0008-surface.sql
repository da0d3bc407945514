-- SPDX-License-Identifier: ISC
-- The external surface of a project: its inventory, services and findings (C-115 to C-119, C-780), the typed areas of
-- findings (C-164, C-194 to C-200), and what its dashboard remembers of past days.

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
	-- When the metadata were last confirmed. last_seen_at is later when services or findings were seen since.
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

-- src/tbl/finding_moves.h has the same moves; t/house/states.t compares them. clear is the move
-- by which a producer closes a finding.
CREATE TABLE finding_move (
	event text NOT NULL,
	from_status text NOT NULL,
	to_status text NOT NULL,
	PRIMARY KEY (event, from_status)
);
INSERT INTO finding_move VALUES
	('clear', 'open', 'resolved'),
	('clear', 'acknowledged', 'resolved'),
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
	-- 16384 is LIM_EVIDENCE; the producer cuts what is larger (src/resource/finding_evidence.h)
	evidence jsonb CHECK (jsonb_typeof(evidence) = 'object' AND octet_length(evidence::text) <= 16384),
	confidence double precision CHECK (confidence BETWEEN 0 AND 1),
	detector text CHECK (char_length(detector) BETWEEN 1 AND 200), -- null: imported
	contradicted_at timestamptz, -- time of the latest data that lack what was found (finding_store)
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

CREATE TRIGGER finding_event_found AFTER INSERT ON finding FOR EACH ROW EXECUTE FUNCTION finding_event_add();
CREATE TRIGGER finding_event_changed AFTER UPDATE ON finding FOR EACH ROW
	WHEN ((OLD.status, OLD.severity, OLD.confidence) IS DISTINCT FROM (NEW.status, NEW.severity, NEW.confidence))
	EXECUTE FUNCTION finding_event_add();

-- What has become of each finding. Rows are inserted by a trigger of finding and never change.
CREATE TABLE finding_event (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	finding_uuid uuid NOT NULL REFERENCES finding ON DELETE CASCADE,
	project_uuid uuid NOT NULL,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	event text NOT NULL, -- found, changed, or a move
	from_status text,    -- null: found, or not known
	to_status text NOT NULL,
	severity text NOT NULL,
	confidence double precision,
	membership_uuid uuid -- null: a producer
);
CREATE INDEX finding_event_page ON finding_event (finding_uuid, at DESC, id DESC);
CREATE INDEX finding_event_project ON finding_event (project_uuid, at, id);
CREATE TRIGGER finding_event_stands BEFORE UPDATE ON finding_event FOR EACH STATEMENT
	EXECUTE FUNCTION finding_event_stands();

-- The findings of rules with the members of their evidence as columns (src/api/surface/exposure.c). The
-- catalogue has a rule with the name of each product, and for some products a second one, "...
-- answers without a login". The product of the service may be a proxy in front of it, so its
-- version is used only when it is the product of the rule.
CREATE VIEW ai_surface AS
SELECT f.project_uuid, f.uuid, f.asset_uuid, f.service_uuid, f.status, f.severity, f.confidence, f.title, f.created_at,
       f.first_seen_at, f.last_seen_at, evidence_text(f.evidence, 'kind') AS kind, evidence_text(f.evidence, 'kind') AS category,
       p.product, CASE WHEN strpos(lower(evidence_text(f.evidence, 'product')), lower(p.product)) > 0
	THEN evidence_text(f.evidence, 'version') END AS version,
       evidence_text(f.evidence, 'auth') AS auth, evidence_endpoint(f.evidence -> 'record') AS endpoint,
       evidence_text(f.evidence -> 'record', 'ip') AS ip, evidence_integer(f.evidence -> 'record', 'port', 0, 65535) AS port,
       evidence_text(f.evidence -> 'record', 'hostname') AS hostname, evidence_texts(f.evidence, 'models', 32) AS models,
       evidence_texts(f.evidence, 'capabilities', 64) AS capabilities, evidence_uuid(f.evidence, 'rule_uuid') AS rule_uuid,
       evidence_flag(f.evidence, 'suspect') AS suspect, evidence_text(f.evidence, 'matched_by') AS matched_by
  FROM finding f, LATERAL (SELECT coalesce(regexp_replace(evidence_text(f.evidence, 'rule_name'), ' answers without a login$', ''),
	evidence_text(f.evidence, 'product')) AS product) AS p
 WHERE f.finding_type = 'ai_surface';

CREATE VIEW exposures AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       coalesce(exposure_kind, evidence_text(evidence, 'kind')) AS kind, evidence_text(evidence, 'product') AS product,
       evidence_text(evidence, 'version') AS version, evidence_text(evidence, 'auth') AS auth,
       evidence_endpoint(evidence -> 'record') AS endpoint, evidence_text(evidence -> 'record', 'ip') AS ip,
       evidence_integer(evidence -> 'record', 'port', 0, 65535) AS port, evidence_text(evidence -> 'record', 'transport') AS transport,
       evidence_text(evidence -> 'record', 'hostname') AS hostname, evidence_flag(evidence, 'tls_enabled') AS tls_enabled,
       evidence_objects(evidence, 'matched', '{field,value}', 16) AS matched, evidence_uuid(evidence, 'rule_uuid') AS rule_uuid,
       evidence_flag(evidence, 'suspect') AS suspect, evidence_text(evidence, 'matched_by') AS matched_by
  FROM finding WHERE finding_type = 'exposed_service';

-- The points of one open finding by its severity. A change of them is a new version; past days keep their scores.
CREATE TABLE exposure_weight (
	version integer NOT NULL CHECK (version >= 1),
	severity text NOT NULL CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')),
	weight double precision NOT NULL CHECK (weight >= 0),
	PRIMARY KEY (version, severity)
);
INSERT INTO exposure_weight VALUES (1, 'critical', 40), (1, 'high', 15), (1, 'medium', 4), (1, 'low', 1), (1, 'info', 0);

-- The findings of a project on a past day of UTC. Only days on which there was something have rows. dashboard_fill
-- makes them from finding_event, whose rows never change, so the same day is always made the same.
CREATE TABLE esi_daily (
	project_uuid uuid NOT NULL REFERENCES project,
	day date NOT NULL,
	finding_type text NOT NULL,
	severity text NOT NULL,
	active bigint NOT NULL, -- open or acknowledged at the end of the day
	new bigint NOT NULL,
	closed bigint NOT NULL,   -- by a person
	reopened bigint NOT NULL,
	cleared bigint NOT NULL,  -- by a producer
	points double precision NOT NULL, -- of the active ones
	PRIMARY KEY (project_uuid, day, finding_type, severity)
);

-- The exposure of a project at the end of a day; one row for each day that is written.
CREATE TABLE exposure_daily (
	project_uuid uuid NOT NULL REFERENCES project,
	day date NOT NULL,
	points double precision NOT NULL, -- exposure_score makes the score of them
	version integer NOT NULL,         -- of the weights
	PRIMARY KEY (project_uuid, day)
);

-- Events of a day may be committed after its end, so a day is written only when no transaction can
-- add such an event any more. horizon: every transaction that got its number before the day began
-- has a smaller number.
CREATE TABLE dashboard_horizon (
	day date PRIMARY KEY,
	horizon xid8 NOT NULL
);

-- The state of a finding after one of its events (esi_days in functions/project_dashboard.sql).
CREATE TYPE finding_stand AS (to_status text, severity text, confidence double precision);

GRANT SELECT ON asset, asset_service, finding, finding_move TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON asset, asset_service, finding TO surfaced_admin;
GRANT UPDATE (status, status_event, status_changed_at, status_changed_by_membership_uuid, resolved_at,
	resolved_by_membership_uuid) ON finding TO surfaced_api;
GRANT SELECT ON finding_event TO surfaced_api, surfaced_admin;
GRANT USAGE ON TYPE finding_stand TO surfaced_api;
GRANT SELECT ON exposure_weight, esi_daily, exposure_daily TO surfaced_api, surfaced_admin;
GRANT SELECT ON ai_surface, exposures TO surfaced_api, surfaced_admin;
