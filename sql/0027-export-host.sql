-- SPDX-License-Identifier: ISC
-- The host whose export_directory has the file of an export, where hosts do not share one (README.Debian, export_shared).

ALTER TABLE search_export ADD COLUMN host text CHECK (octet_length(host) BETWEEN 1 AND 600); -- null: not begun, or unknown

-- Each gets an argument with a default, so that the programs of the release before call them as they did.
DROP FUNCTION IF EXISTS export_sweep(uuid[], bigint), export_begin(uuid, bigint, bigint);
