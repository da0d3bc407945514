-- SPDX-License-Identifier: ISC
-- The audit log in the API: a UUID and a project for each line, and the transaction that wrote it.

-- Columns without a default are added without reading the table, so the lock of ALTER TABLE is short however many lines
-- there are; a default that is set afterwards counts for new lines alone. The lines that exist keep null in all three:
-- audit_uuid and audit_project (functions/triggers.sql) derive what is answered for them, and a null in changed is
-- older than every transaction. Programs of the release before name none of the columns and go on writing.
-- The indexes are in indexes.sql, because a long table must not be locked while they are built.
ALTER TABLE audit ADD COLUMN uuid uuid, ADD COLUMN project_uuid uuid, ADD COLUMN changed xid8;
ALTER TABLE audit ALTER COLUMN uuid SET DEFAULT gen_random_uuid(), ALTER COLUMN changed SET DEFAULT pg_current_xact_id();
GRANT INSERT (project_uuid) ON audit TO surfaced_api, surfaced_index, surfaced_admin;

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
	changed bigint, id bigint);
GRANT USAGE ON TYPE audit_answer TO surfaced_api;
