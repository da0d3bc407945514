-- SPDX-License-Identifier: ISC
-- The audit log. It is insert-only for everybody: no role has the right to change a line, and a trigger
-- refuses changes by roles that need no right. The triggers that write it are beside the tables; functions/audit.sql reads it.

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
	request_id text CHECK (request_id ~ '^[A-Za-z0-9_.:-]{1,128}$'),
	uuid uuid NOT NULL DEFAULT gen_random_uuid(),
	project_uuid uuid, -- null: audit_project (functions/triggers.sql) derives it from the rest
	-- The transaction that wrote the line; 0, which is older than each transaction: the line was restored from a backup.
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	-- The network address from which the request came. A worker names it in surfaced.address.
	address text DEFAULT nullif(current_setting('surfaced.address', true), '') CHECK (char_length(address) <= 100)
);
CREATE INDEX audit_subject ON audit (subject, subject_id, id);
CREATE INDEX audit_account ON audit (account_uuid, id);
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION audit_stands();

-- What is recorded once an hour for a key: the row decides which of several requests writes the line. Rows of a past
-- hour go when the key reads again.
CREATE TABLE audit_hour (
	key_uuid uuid NOT NULL REFERENCES api_key,
	hour timestamptz NOT NULL,
	action text NOT NULL,
	subject_id text NOT NULL,
	PRIMARY KEY (key_uuid, hour, action, subject_id)
);

-- A line as the functions of functions/audit.sql return it.
CREATE TYPE audit_answer AS (uuid uuid, at timestamptz, program text, actor_kind text, actor_uuid uuid, actor_name text,
	action text, subject text, subject_id text, project_uuid uuid, before jsonb, after jsonb, request_id text,
	changed bigint, id bigint, address text);

-- The database alone fills in the other columns.
GRANT INSERT (actor, action, subject, subject_id, account_uuid, before, after, request_id, project_uuid)
	ON audit TO surfaced_api, surfaced_index, surfaced_admin;
GRANT SELECT ON audit TO surfaced_admin;
GRANT USAGE ON TYPE audit_answer TO surfaced_api;
