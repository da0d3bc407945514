-- SPDX-License-Identifier: ISC
-- Who did what. Insert-only for everybody: no role has the right to change a line, and the trigger
-- refuses it to those who need no right.
CREATE TABLE audit (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	program text NOT NULL DEFAULT session_user, -- the database's word, not the program's
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

CREATE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit lines are never changed';
END
$$;
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION audit_stands();

-- Not id, at or program: nobody chooses those.
GRANT INSERT (actor, action, subject, subject_id, account_uuid, before, after, request_id) ON audit
	TO surfaced_api, surfaced_index, surfaced_admin;
GRANT SELECT ON audit TO surfaced_admin;

-- Every change of what this file guards leaves its line, whoever makes it and by whatever program.
-- A program says for whom it acts in the settings surfaced.actor and surfaced.request_id.
CREATE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - 'sha256' - 'changed' END;
	new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - 'sha256' - 'changed' END;
	line jsonb := coalesce(new_row, old_row);
BEGIN
	IF old_row = new_row THEN
		RETURN NULL;
	END IF;
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, before, after, request_id)
	VALUES (coalesce(nullif(current_setting('surfaced.actor', true), ''), 'role:' || session_user),
		TG_TABLE_NAME || CASE TG_OP WHEN 'INSERT' THEN '.create' WHEN 'UPDATE' THEN '.change' ELSE '.delete' END,
		TG_TABLE_NAME, line ->> TG_ARGV[0],
		CASE TG_TABLE_NAME WHEN 'account' THEN line ->> 'uuid' ELSE line ->> 'account_uuid' END::uuid,
		old_row, new_row, nullif(current_setting('surfaced.request_id', true), ''));
	RETURN NULL;
END
$$;
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_group FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON account_scope FOR EACH ROW EXECUTE FUNCTION audit_row('scope');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON entitlement FOR EACH ROW EXECUTE FUNCTION audit_row('name');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON member FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON project_member FOR EACH ROW EXECUTE FUNCTION audit_row('project_uuid');
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
