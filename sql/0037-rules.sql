-- SPDX-License-Identifier: ISC
-- Tags of accounts are written by functions alone; the tags that rules of the catalogue apply to documents; days of dashboards.

-- The common tags are read by everybody and change what every search finds. surfaced_api may write those of accounts alone,
-- by the functions of functions/rule_tag.sql.
REVOKE INSERT, UPDATE, DELETE ON tag FROM surfaced_api;

-- Their results or arguments have changed.
DROP FUNCTION IF EXISTS detect_runs(), detect_fail(uuid, text), detect_due(), detect_put_off(bigint, text, bigint),
	detect_store(jsonb, jsonb, jsonb, jsonb, jsonb, bigint);

-- surfaced-detect asks for the settings of one rule.
CREATE INDEX rule_setting_rule ON rule_setting (rule_uuid);

-- The events of a day may commit after its end: a day is written when no transaction is left that may have such an event.
-- horizon: every transaction that was given its number before the day that is named began is below it.
CREATE TABLE dashboard_horizon (
	day date PRIMARY KEY,
	horizon xid8 NOT NULL
);

-- The tags that rules of the catalogue show on the documents that match (applies_tags). record keeps what imports gave: whoever
-- reads a document adds these to its tags (record_tagged in functions/detect.sql). A change of a row here stamps the record as
-- changed, so that whatever follows the table record sees the document again.
CREATE TABLE document_tag (
	dataset smallint NOT NULL,
	key bytea NOT NULL,
	slug text NOT NULL,
	rule_uuid uuid NOT NULL REFERENCES rule,
	PRIMARY KEY (dataset, key, slug, rule_uuid)
);
CREATE INDEX document_tag_rule ON document_tag (rule_uuid, dataset, key);
GRANT SELECT ON document_tag TO surfaced_api, surfaced_index, surfaced_admin;
