-- SPDX-License-Identifier: ISC
-- The functions of the audit log take the key that reads (functions/audit.sql), and the workers have no use for the two
-- that they call. An index that another one covers goes.

DROP FUNCTION IF EXISTS audit_page(uuid, uuid[], timestamptz, uuid, bigint, text[], text, text, text, uuid, timestamptz,
	timestamptz, text);
DROP FUNCTION IF EXISTS audit_feed(uuid, uuid[], bigint, bigint, bigint);
DROP FUNCTION IF EXISTS audit_sight(uuid), audit_actors(uuid, text);
