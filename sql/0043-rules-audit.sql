-- SPDX-License-Identifier: ISC
-- rules_seen also returns the number of active findings.
DROP FUNCTION IF EXISTS rules_seen;

-- The network address from which a request came that is in the audit log. A worker names it in surfaced.address.
ALTER TABLE audit ADD COLUMN address text DEFAULT nullif(current_setting('surfaced.address', true), '') CHECK (char_length(address) <= 100);
-- audit_note_hourly takes the address.
DROP FUNCTION IF EXISTS audit_note_hourly;
ALTER TYPE audit_answer ADD ATTRIBUTE address text;
