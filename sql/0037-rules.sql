-- SPDX-License-Identifier: ISC
-- Rights on the tags of accounts, the tags that rules of the catalogue apply to documents, and the
-- days of dashboards.

-- Common tags concern all accounts and searches, so surfaced_api must not write them. It writes the
-- tags of accounts with the functions of functions/rule_tag.sql.
REVOKE INSERT, UPDATE, DELETE ON tag FROM surfaced_api;

-- Their results or arguments have changed.
DROP FUNCTION IF EXISTS detect_runs(), detect_observe(jsonb, bigint), detect_fail(uuid, text), detect_due(), detect_put_off(bigint, text, bigint),
	detect_store(jsonb, jsonb, jsonb, jsonb, jsonb, bigint);

-- When a run failed last: those of the catalogue are tried again (detect_retry).
ALTER TABLE rule_run ADD COLUMN failed_at timestamptz;

-- surfaced-detect asks for the settings of one rule.
CREATE INDEX rule_setting_rule ON rule_setting (rule_uuid);

-- Events of a day may be committed after its end, so a day is written only when no transaction can
-- add such an event any more. horizon: every transaction that got its number before the day began
-- has a smaller number.
CREATE TABLE dashboard_horizon (
	day date PRIMARY KEY,
	horizon xid8 NOT NULL
);

-- The tags that rules of the catalogue apply to matching documents (applies_tags). The table record
-- keeps the documents as they were imported; record_tagged (functions/detect.sql) adds these tags
-- when a document is read. A change of a row here marks the record as changed, so that programs
-- that follow the table record read the document again.
CREATE TABLE document_tag (
	dataset smallint NOT NULL,
	key bytea NOT NULL,
	slug text NOT NULL,
	rule_uuid uuid NOT NULL REFERENCES rule,
	PRIMARY KEY (dataset, key, slug, rule_uuid)
);
CREATE INDEX document_tag_rule ON document_tag (rule_uuid, dataset, key);
GRANT SELECT ON document_tag TO surfaced_api, surfaced_index, surfaced_admin;

-- How many tags a rule has on documents, which are too many to be counted for each batch.
CREATE TABLE document_tags (
	rule_uuid uuid PRIMARY KEY REFERENCES rule,
	n bigint NOT NULL
);
