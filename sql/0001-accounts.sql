-- SPDX-License-Identifier: ISC
-- Organisations, the people in them, their projects, and the API keys those people hold.

-- src/tbl/scopes.h and src/tbl/entitlements.h have the same lists; t/sql/hosts.t compares them.
CREATE DOMAIN scope_name AS text CHECK (VALUE IN ('search.view', 'search.aggregate', 'reports.view',
	'alerts.rules.view', 'alerts.rules.manage', 'alerts.silences.view', 'alerts.silences.manage',
	'browser.sessions.view', 'browser.sessions.create', 'browser.sessions.manage',
	'esi.inventory.view', 'esi.services.view', 'esi.findings.view', 'esi.findings.manage',
	'rules.view', 'rules.manage'));

CREATE DOMAIN entitlement_name AS text CHECK (VALUE IN ('search', 'reports', 'alerting', 'browser',
	'esi', 'rules'));

-- A name that people give: something visible, without control characters or blank ends.
CREATE DOMAIN label AS text
	CHECK (VALUE ~ '^[^[:cntrl:][:space:]]([^[:cntrl:]]*[^[:cntrl:][:space:]])?$' AND char_length(VALUE) <= 200);
GRANT USAGE ON TYPE scope_name, entitlement_name, label TO surfaced_api, surfaced_admin;

-- Accounts that share a quota.
CREATE TABLE account_group (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	name label NOT NULL CONSTRAINT account_group_name_taken UNIQUE,
	created_at timestamptz NOT NULL DEFAULT now(),
	quota bigint CHECK (quota BETWEEN 0 AND 4000000000) -- null: meter_default has the limit
);

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
	quota bigint CHECK (quota BETWEEN 0 AND 4000000000)
);
CREATE INDEX account_group_uuid ON account (group_uuid);

-- The scopes that keys of an account may hold (C-010). Every key loses a scope that is removed here.
CREATE TABLE account_scope (
	account_uuid uuid NOT NULL REFERENCES account,
	scope scope_name NOT NULL,
	PRIMARY KEY (account_uuid, scope)
);

CREATE TABLE entitlement (
	account_uuid uuid NOT NULL REFERENCES account,
	name entitlement_name NOT NULL,
	expires_at timestamptz, -- null: until it is taken away
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (account_uuid, name)
);

-- A membership: a person in one organisation. Removed members stay, because records name them.
CREATE TABLE member (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL REFERENCES account,
	name label NOT NULL,
	email text NOT NULL CHECK (email ~ '^[^[:cntrl:][:space:]@]+@[^[:cntrl:][:space:]@]+$' AND char_length(email) <= 254),
	role text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
	all_projects boolean NOT NULL DEFAULT true, -- false: those of project_member alone (C-116)
	created_at timestamptz NOT NULL DEFAULT now(),
	removed_at timestamptz,
	UNIQUE (account_uuid, uuid)
);
CREATE UNIQUE INDEX member_email_taken ON member (account_uuid, lower(email)) WHERE removed_at IS NULL;

CREATE TABLE project (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL REFERENCES account,
	name label NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	CONSTRAINT project_name_taken UNIQUE (account_uuid, name),
	UNIQUE (account_uuid, uuid)
);

-- Members who see this project without seeing all, and members who manage it. Owners of the account manage all.
CREATE TABLE project_member (
	account_uuid uuid NOT NULL,
	project_uuid uuid NOT NULL,
	member_uuid uuid NOT NULL,
	role text NOT NULL DEFAULT 'viewer' CHECK (role IN ('viewer', 'manager')),
	PRIMARY KEY (project_uuid, member_uuid),
	FOREIGN KEY (account_uuid, project_uuid) REFERENCES project (account_uuid, uuid),
	FOREIGN KEY (account_uuid, member_uuid) REFERENCES member (account_uuid, uuid)
);
CREATE INDEX project_member_member ON project_member (member_uuid);

-- The secret itself is never stored (C-007): the prefix finds the row, and the hash of the whole secret
-- decides (C-006). Rows are never deleted, because usage and audit name them.
CREATE TABLE api_key (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL,
	owner_uuid uuid NOT NULL,
	name label NOT NULL,
	prefix text NOT NULL UNIQUE CHECK (prefix ~ '^sfk_[A-Za-z0-9]{8}$'),
	sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
	scopes scope_name[] NOT NULL DEFAULT '{}' CHECK (array_position(scopes, NULL) IS NULL AND cardinality(scopes) <= 64),
	projects uuid[] CHECK (array_position(projects, NULL) IS NULL AND cardinality(projects) <= 1000), -- null: all of the owner's
	created_at timestamptz NOT NULL DEFAULT now(),
	expires_at timestamptz CHECK (expires_at > created_at),
	revoked_at timestamptz,
	rate integer CHECK (rate BETWEEN 1 AND 1000000000), -- null: meter_default has the limit
	rate_window integer CHECK (rate_window BETWEEN 1 AND 86400),
	FOREIGN KEY (account_uuid, owner_uuid) REFERENCES member (account_uuid, uuid)
);
CREATE INDEX api_key_account ON api_key (account_uuid);
CREATE TRIGGER api_key_check BEFORE INSERT OR UPDATE ON api_key
	FOR EACH ROW EXECUTE FUNCTION api_key_check();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account_group EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON account_scope EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON entitlement EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON member EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON project EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON project_member EXECUTE FUNCTION key_changed();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON api_key EXECUTE FUNCTION key_changed();

GRANT SELECT ON account_group, account, account_scope, entitlement, member, project, project_member, api_key
	TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON account_group, account, entitlement, member, project, project_member, api_key TO surfaced_admin;
GRANT INSERT ON account_scope TO surfaced_admin;
GRANT DELETE ON account_group, account_scope, entitlement, project_member TO surfaced_admin;
