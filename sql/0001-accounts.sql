-- SPDX-License-Identifier: ISC
-- Organisations, what they may use, and their projects.

-- src/tbl/scopes.h and src/tbl/entitlements.h have the same lists; t/sql/tags.t compares them.
CREATE DOMAIN scope_name AS text CHECK (VALUE IN ('search.view', 'search.aggregate',
	'reports.view', 'reports.manage', 'alerts.rules.view', 'alerts.rules.manage', 'alerts.silences.view',
	'alerts.silences.manage', 'browser.sessions.view', 'browser.sessions.create', 'browser.sessions.manage',
	'esi.inventory.view', 'esi.services.view', 'esi.findings.view', 'esi.findings.manage', 'esi.detectors.manage',
	'rules.view', 'rules.manage', 'dashboard.view', 'access.view', 'audit.view'));

CREATE DOMAIN entitlement_name AS text CHECK (VALUE IN ('search', 'reports', 'alerting', 'browser',
	'esi', 'rules'));

-- A name that people give: something visible, without control characters or blank ends. label_visible
-- refuses what char_is_harmful (src/base/char.c) refuses: marks of direction, invisible characters,
-- fillers, private use and tags. [:cntrl:] of the first check has the control characters.
CREATE DOMAIN label AS text
	CHECK (VALUE ~ '^[^[:cntrl:][:space:]]([^[:cntrl:]]*[^[:cntrl:][:space:]])?$' AND char_length(VALUE) <= 200)
	CONSTRAINT label_visible CHECK (VALUE !~
	'[\u0080-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U0010FFFF]');

-- Accounts that share a quota.
CREATE TABLE account_group (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	name label NOT NULL CONSTRAINT account_group_name_taken UNIQUE,
	created_at timestamptz NOT NULL DEFAULT now(),
	quota bigint CHECK (quota BETWEEN 0 AND 4000000000) -- null: meter_default has the limit
);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account_group EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_group FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

-- An organisation.
CREATE TABLE account (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	name label NOT NULL CONSTRAINT account_name_taken UNIQUE,
	state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
	group_uuid uuid REFERENCES account_group,
	created_at timestamptz NOT NULL DEFAULT now(),
	-- Requests (rate) in seconds (window), requests a calendar month UTC (quota). Null: meter_default has the limit.
	search_rate integer CHECK (search_rate BETWEEN 1 AND 1000000000),
	search_window integer CHECK (search_window BETWEEN 1 AND 86400),
	quota bigint CHECK (quota BETWEEN 0 AND 4000000000),
	export_records bigint CHECK (export_records BETWEEN 0 AND 1000000000000), -- a calendar month; null: as above
	sign_in text NOT NULL DEFAULT 'any' CHECK (sign_in IN ('any', 'strong')) -- strong: see the table sign_in
);
CREATE INDEX account_group_uuid ON account (group_uuid);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

-- The scopes that keys of an account may hold (C-010). Every key loses a scope that is removed here.
CREATE TABLE account_scope (
	account_uuid uuid NOT NULL REFERENCES account,
	scope scope_name NOT NULL,
	PRIMARY KEY (account_uuid, scope)
);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account_scope EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_scope FOR EACH ROW EXECUTE FUNCTION audit_row('scope');

CREATE TABLE entitlement (
	account_uuid uuid NOT NULL REFERENCES account,
	name entitlement_name NOT NULL,
	expires_at timestamptz, -- null: until it is taken away
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (account_uuid, name)
);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON entitlement EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON entitlement FOR EACH ROW EXECUTE FUNCTION audit_row('name');

CREATE TABLE project (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL REFERENCES account,
	name label NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	CONSTRAINT project_name_taken UNIQUE (account_uuid, name),
	UNIQUE (account_uuid, uuid)
);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON project EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

GRANT USAGE ON TYPE scope_name, entitlement_name, label TO surfaced_api, surfaced_admin;
GRANT SELECT ON account_group, account, account_scope, entitlement, project TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON account_group, account, entitlement, project TO surfaced_admin;
GRANT INSERT ON account_scope TO surfaced_admin;
GRANT DELETE ON account_group, account_scope, entitlement TO surfaced_admin;
