-- SPDX-License-Identifier: ISC
-- rules_seen also returns the number of active findings.
DROP FUNCTION IF EXISTS rules_seen;

-- The pages, look-ups and exports of a member in the console on the last days of UTC (people_read).
CREATE TABLE people_read (
	member_uuid uuid NOT NULL REFERENCES member,
	day date NOT NULL,
	n bigint NOT NULL,
	PRIMARY KEY (member_uuid, day)
);

-- The network address from which a request came that is in the audit log. A worker names it in surfaced.address.
ALTER TABLE audit ADD COLUMN address text DEFAULT nullif(current_setting('surfaced.address', true), '') CHECK (char_length(address) <= 100);
-- audit_note_hourly takes the address.
DROP FUNCTION IF EXISTS audit_note_hourly;
ALTER TYPE audit_answer ADD ATTRIBUTE address text;
