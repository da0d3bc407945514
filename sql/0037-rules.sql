-- SPDX-License-Identifier: ISC
-- Tags of accounts are written by functions alone.

-- The common tags are read by everybody and change what every search finds. surfaced_api may write those of accounts alone,
-- by the functions of functions/rule_tag.sql.
REVOKE INSERT, UPDATE, DELETE ON tag FROM surfaced_api;

-- Their results or arguments have changed.
DROP FUNCTION IF EXISTS detect_runs(), detect_fail(uuid, text), detect_due(), detect_put_off(bigint, text, bigint);

-- surfaced-detect asks for the settings of one rule.
CREATE INDEX rule_setting_rule ON rule_setting (rule_uuid);

-- The events of a day may commit after its end: a day is written when no transaction is left that may have such an event.
-- horizon: every transaction that was given its number before the day that is named began is below it.
CREATE TABLE dashboard_horizon (
	day date PRIMARY KEY,
	horizon xid8 NOT NULL
);
