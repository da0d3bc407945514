-- SPDX-License-Identifier: ISC
-- The number of failed attempts at an export, which bounds them.

-- How often a process has begun to write it and died before the file grew. surfaced-export compares it with
-- LIM_EXPORT_ATTEMPTS.
ALTER TABLE search_export ADD COLUMN attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0);
