-- SPDX-License-Identifier: ISC
-- The people in organisations: who they are, how they prove it, what they are signed in with, and the API keys that
-- they hold.
--
--   person --- member --- account        a membership without a person is open: its invitation waits
--      |          |
--   sign_in    api_key                   a member's keys, and one of kind console

CREATE TABLE person (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	name label NOT NULL,
	email text NOT NULL CHECK (email ~ '^[^[:cntrl:][:space:]@]+@[^[:cntrl:][:space:]@]+$' AND char_length(email) <= 254),
	proxy_identity text CHECK (proxy_identity ~ '^[^[:cntrl:][:space:]@]+@[^[:cntrl:][:space:]@]+$'
		AND char_length(proxy_identity) <= 254), -- the e-mail by which the company's proxy knows the person
	password text CHECK (password ~ '^\$argon2id\$v=19\$' AND char_length(password) <= 200),
	password_at timestamptz, -- when the person chose it; rehashing does not change it
	totp bytea CHECK (octet_length(totp) <= 500), -- the sealed secret
	totp_new bytea CHECK (octet_length(totp_new) <= 500), -- a sealed secret that no code has confirmed yet
	totp_new_at timestamptz, -- when it was made
	totp_at timestamptz, -- when a first code confirmed the secret
	totp_step bigint NOT NULL DEFAULT 0, -- of the code that was used last
	created_at timestamptz NOT NULL DEFAULT now(),
	disabled_at timestamptz,
	CHECK ((totp_at IS NULL) = (totp IS NULL))
);
CREATE UNIQUE INDEX person_email_taken ON person (lower(email));
CREATE UNIQUE INDEX person_proxy_identity_taken ON person (lower(proxy_identity));
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE ON person FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

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
	person_uuid uuid REFERENCES person, -- null: nobody has accepted the invitation yet
	UNIQUE (account_uuid, uuid)
);
CREATE UNIQUE INDEX member_email_taken ON member (account_uuid, lower(email)) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX member_person_taken ON member (account_uuid, person_uuid) WHERE removed_at IS NULL;
CREATE INDEX member_person ON member (person_uuid);
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON member EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON member FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER member_console AFTER INSERT ON member FOR EACH ROW EXECUTE FUNCTION member_console();

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
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON project_member EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project_member FOR EACH ROW EXECUTE FUNCTION audit_row('project_uuid');

-- The people who have a scope (C-330). Owners have all scopes that the account allows. The scopes are those of
-- src/tbl/scopes.h.
CREATE TABLE people_scope (
	scope scope_name PRIMARY KEY,
	who text NOT NULL CHECK (who IN ('members', 'managers', 'owners')) -- managers: in the projects that they manage
);
INSERT INTO people_scope VALUES ('search.view', 'members'), ('search.aggregate', 'members'), ('reports.view', 'members'),
	('reports.manage', 'owners'), ('alerts.rules.view', 'members'), ('alerts.rules.manage', 'managers'),
	('alerts.silences.view', 'members'), ('alerts.silences.manage', 'managers'), ('browser.sessions.view', 'members'),
	('browser.sessions.create', 'members'), ('browser.sessions.manage', 'managers'), ('esi.inventory.view', 'members'),
	('esi.services.view', 'members'), ('esi.findings.view', 'members'), ('esi.findings.manage', 'managers'),
	('esi.detectors.manage', 'managers'), ('rules.view', 'members'), ('rules.manage', 'owners'),
	('dashboard.view', 'members'), ('access.view', 'members'), ('audit.view', 'owners');
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON people_scope EXECUTE FUNCTION key_changed();

-- The pages, look-ups and exports of a member in the console on the last days of UTC (people_read).
CREATE TABLE people_read (
	member_uuid uuid NOT NULL REFERENCES member,
	day date NOT NULL,
	n bigint NOT NULL,
	PRIMARY KEY (member_uuid, day)
);

-- A key of a member, or the console credential of a membership: what requests of the signed-in person act as. The
-- secret of a key is never stored (C-007): the prefix finds the row, and the hash of the whole secret decides
-- (C-006). A console credential has no secret; only the cookie of the person finds it, and no key in a request. Rows
-- are never deleted, because usage and audit name them.
CREATE TABLE api_key (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL,
	owner_uuid uuid NOT NULL,
	name label NOT NULL,
	prefix text NOT NULL UNIQUE CONSTRAINT api_key_prefix_check
		CHECK (prefix ~ '^(sfk|con)_[A-Za-z0-9]{8}$' AND (kind = 'console') = starts_with(prefix, 'con_')),
	sha256 bytea UNIQUE CHECK (octet_length(sha256) = 32),
	scopes scope_name[] NOT NULL DEFAULT '{}' CHECK (array_position(scopes, NULL) IS NULL AND cardinality(scopes) <= 64),
	projects uuid[] CHECK (array_position(projects, NULL) IS NULL AND cardinality(projects) <= 1000), -- null: all of the owner's
	created_at timestamptz NOT NULL DEFAULT now(),
	expires_at timestamptz CHECK (expires_at > created_at),
	revoked_at timestamptz,
	rate integer CHECK (rate BETWEEN 1 AND 1000000000), -- null: meter_default has the limit
	rate_window integer CHECK (rate_window BETWEEN 1 AND 86400),
	kind text NOT NULL DEFAULT 'key' CHECK (kind IN ('key', 'console')),
	CONSTRAINT api_key_secret_check CHECK ((kind = 'key') = (sha256 IS NOT NULL)),
	FOREIGN KEY (account_uuid, owner_uuid) REFERENCES member (account_uuid, uuid)
);
CREATE INDEX api_key_account ON api_key (account_uuid);
CREATE UNIQUE INDEX api_key_console ON api_key (owner_uuid) WHERE kind = 'console';
CREATE TRIGGER api_key_check BEFORE INSERT OR UPDATE ON api_key
	FOR EACH ROW EXECUTE FUNCTION api_key_check();
CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON api_key EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

CREATE TABLE passkey (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	person_uuid uuid NOT NULL REFERENCES person,
	name label NOT NULL,
	credential bytea NOT NULL CONSTRAINT passkey_credential_taken UNIQUE CHECK (octet_length(credential) BETWEEN 16 AND 1023),
	spki bytea NOT NULL CHECK (octet_length(spki) <= 1200),
	algorithm integer NOT NULL CHECK (algorithm IN (-8, -7, -257)),
	sign_count bigint NOT NULL CHECK (sign_count >= 0),
	backed_up boolean NOT NULL,
	rp_id text NOT NULL CHECK (char_length(rp_id) BETWEEN 1 AND 253),
	created_at timestamptz NOT NULL DEFAULT now(),
	last_used_at timestamptz
);
CREATE INDEX passkey_person ON passkey (person_uuid);
CREATE TRIGGER audit_row AFTER INSERT OR DELETE ON passkey FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_change AFTER UPDATE ON passkey FOR EACH ROW
	WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION audit_row('uuid');

-- Sign-ins: a person in one browser. sha256 is the hash of the token in the cookie; the token
-- itself is not stored.
CREATE TABLE sign_in (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	person_uuid uuid NOT NULL REFERENCES person,
	sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
	methods text[] NOT NULL CHECK (methods <@ '{link,password,passkey,totp,proxy}' AND cardinality(methods) BETWEEN 1 AND 3),
	strong boolean NOT NULL, -- a passkey, two methods, or a proxy that is trusted to be as good
	address inet NOT NULL,
	agent text NOT NULL CHECK (char_length(agent) <= 200),
	created_at timestamptz NOT NULL DEFAULT now(),
	authenticated_at timestamptz NOT NULL DEFAULT now(),
	seen_at timestamptz NOT NULL DEFAULT now(), -- of a request; written once a minute at most
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at), -- whatever happens
	ended_at timestamptz,
	end_reason text CHECK (end_reason IN ('signed_out', 'ended', 'replaced', 'credentials_changed', 'expired', 'disabled', 'restored')),
	CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);
CREATE INDEX sign_in_person ON sign_in (person_uuid, created_at);
CREATE INDEX sign_in_ended ON sign_in (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX sign_in_live ON sign_in (expires_at) WHERE ended_at IS NULL;
CREATE TRIGGER audit_row AFTER INSERT ON sign_in FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_change AFTER UPDATE ON sign_in FOR EACH ROW
	WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at OR OLD.authenticated_at IS DISTINCT FROM NEW.authenticated_at)
	EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER sign_in_ended AFTER UPDATE ON sign_in FOR EACH ROW
	WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION sign_in_ended();

-- Earlier tokens of sign-ins whose person signed in again. Such a token is over, not unknown.
CREATE TABLE sign_in_former (
	sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
	sign_in_uuid uuid NOT NULL REFERENCES sign_in ON DELETE CASCADE
);
CREATE INDEX sign_in_former_of ON sign_in_former (sign_in_uuid);

-- One-time links with which a person joins an account or recovers access.
CREATE TABLE sign_in_link (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
	purpose text NOT NULL CHECK (purpose IN ('join', 'recover')),
	member_uuid uuid REFERENCES member,
	person_uuid uuid REFERENCES person,
	created_by text NOT NULL CHECK (char_length(created_by) BETWEEN 1 AND 200), -- as the audit log names actors
	created_at timestamptz NOT NULL DEFAULT now(),
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
	used_at timestamptz,
	revoked_at timestamptz,
	failures bigint NOT NULL DEFAULT 0, -- uses that were refused
	CHECK (CASE purpose WHEN 'join' THEN member_uuid IS NOT NULL ELSE person_uuid IS NOT NULL AND member_uuid IS NULL END)
);
CREATE INDEX sign_in_link_member ON sign_in_link (member_uuid);
CREATE INDEX sign_in_link_person ON sign_in_link (person_uuid);
CREATE INDEX sign_in_link_ends ON sign_in_link (expires_at);
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE ON sign_in_link FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');

-- Used challenges and half-open sign-ins. Each can be used once.
CREATE TABLE proof_used (
	sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
	expires_at timestamptz NOT NULL
);
CREATE INDEX proof_used_ends ON proof_used (expires_at);

-- Leaky buckets that limit attempts to sign in. The name of a bucket is an HMAC, so the table
-- contains no addresses and no e-mails.
CREATE TABLE throttle (
	bucket bytea PRIMARY KEY CHECK (octet_length(bucket) = 32),
	spent double precision NOT NULL,
	at timestamptz NOT NULL,
	noted_at timestamptz -- when the audit log was told that it is full
);
CREATE INDEX throttle_at ON throttle (at);

GRANT SELECT ON member, project_member, api_key TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE ON member, project_member, api_key TO surfaced_admin;
GRANT DELETE ON project_member TO surfaced_admin;

-- The workers write these tables only with the functions of functions/people.sql, and cannot read
-- secrets in them.
GRANT SELECT (uuid, name, email, password_at, totp_at, created_at, disabled_at) ON person TO surfaced_api;
GRANT SELECT (uuid, person_uuid, credential, name, algorithm, backed_up, rp_id, created_at, last_used_at)
	ON passkey TO surfaced_api;
GRANT SELECT (uuid, person_uuid, methods, strong, address, agent, created_at, authenticated_at, seen_at, expires_at,
	ended_at, end_reason) ON sign_in TO surfaced_api;
GRANT SELECT ON people_scope TO surfaced_api, surfaced_admin;
GRANT SELECT ON person, passkey, sign_in, sign_in_former, sign_in_link, proof_used, throttle TO surfaced_admin;
GRANT INSERT, UPDATE ON person, sign_in_link TO surfaced_admin;
GRANT UPDATE ON sign_in TO surfaced_admin;
GRANT DELETE ON passkey TO surfaced_admin;
