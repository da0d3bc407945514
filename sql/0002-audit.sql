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
