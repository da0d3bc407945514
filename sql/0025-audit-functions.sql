-- SPDX-License-Identifier: ISC
-- The functions of the audit log take the key that reads (functions/audit.sql), and the workers have no use for the two
-- that they call. The index audit_account_subject is covered by audit_account_subject_id.

DROP FUNCTION IF EXISTS audit_page(uuid, uuid[], timestamptz, uuid, bigint, text[], text, text, text, uuid, timestamptz,
	timestamptz, text);
DROP FUNCTION IF EXISTS audit_feed(uuid, uuid[], bigint, bigint, bigint);
DROP FUNCTION IF EXISTS audit_sight(uuid), audit_actors(uuid, text);
DROP INDEX IF EXISTS audit_account_subject;

-- Exports that were given up before their writing began (functions/export.sql).
DROP FUNCTION IF EXISTS export_release(uuid, bigint, bigint);

-- Rows of report_request are deleted by their age (functions/retention.sql).
CREATE INDEX IF NOT EXISTS report_request_created ON report_request (created_at);
