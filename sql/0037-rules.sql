-- SPDX-License-Identifier: ISC
-- Tags of accounts are written by functions alone.

-- The common tags are read by everybody and change what every search finds. surfaced_api may write those of accounts alone,
-- by the functions of functions/rule_tag.sql.
REVOKE INSERT, UPDATE, DELETE ON tag FROM surfaced_api;
