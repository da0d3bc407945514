-- SPDX-License-Identifier: ISC
-- The audit log. It is insert-only for everybody: no role has the right to change a line, and a trigger
-- refuses changes by roles that need no right.

CREATE TABLE audit (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	program text NOT NULL DEFAULT session_user, -- as the database knows it
	actor text NOT NULL CHECK (char_length(actor) BETWEEN 1 AND 200),
	action text NOT NULL CHECK (action ~ '^[a-z_]{1,60}\.[a-z_]{1,60}$'),
	subject text NOT NULL CHECK (subject ~ '^[a-z_]{1,60}$'),
	subject_id text NOT NULL CHECK (char_length(subject_id) BETWEEN 1 AND 200),
	account_uuid uuid REFERENCES account,
	before jsonb,
	after jsonb,
	request_id text CHECK (request_id ~ '^[A-Za-z0-9_.:-]{1,128}$')
);
CREATE INDEX audit_subject ON audit (subject, subject_id, id);
CREATE INDEX audit_account ON audit (account_uuid, id);
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION audit_stands();

-- The columns id, at and program are missing: the database alone fills them in.
GRANT INSERT (actor, action, subject, subject_id, account_uuid, before, after, request_id) ON audit
	TO surfaced_api, surfaced_index, surfaced_admin;
GRANT SELECT ON audit TO surfaced_admin;
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_group FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_scope FOR EACH ROW EXECUTE FUNCTION audit_row('scope');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON entitlement FOR EACH ROW EXECUTE FUNCTION audit_row('name');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON member FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project_member FOR EACH ROW EXECUTE FUNCTION audit_row('project_uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
