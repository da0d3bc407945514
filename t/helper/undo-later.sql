-- SPDX-License-Identifier: ISC
-- Takes back what numbered files from 0020 on have made, for tests that begin with the database of an earlier release.
-- May be run twice. Newer files come first; each has a block.
SET client_min_messages = warning;
SET ROLE surfaced_owner;

-- 0049
DROP FUNCTION IF EXISTS lookalike_certificate;
ALTER TABLE IF EXISTS lookalike_candidate DROP COLUMN IF EXISTS certificate_first_seen_at;
-- 0048
DO $$ BEGIN
	IF to_regclass('capture') IS NOT NULL THEN
		ALTER TABLE capture DROP COLUMN IF EXISTS takeover_providers, ADD COLUMN IF NOT EXISTS takeover_provider text;
	END IF;
END $$;
-- 0047
DROP TRIGGER IF EXISTS catalogue_rule ON rule;
ALTER DOMAIN label DROP CONSTRAINT IF EXISTS label_visible;
-- 0046
DROP TRIGGER IF EXISTS metric_end ON search_export;
DROP TABLE IF EXISTS import_last;
DELETE FROM metric WHERE kind IN ('surfaced_imports_total', 'surfaced_exports_ended_total', 'surfaced_detect_failures_total');
DELETE FROM metric_kind WHERE name IN ('surfaced_imports_total', 'surfaced_import_age_seconds', 'surfaced_exports_ended_total',
	'surfaced_detect_lag_seconds', 'surfaced_detect_work_waiting', 'surfaced_detect_failures_total', 'surfaced_rules_failed');
-- 0045
DELETE FROM metric_kind WHERE name = 'surfaced_index_age_seconds';
ALTER TABLE search_feed DROP COLUMN IF EXISTS fault;
-- 0043
DROP FUNCTION IF EXISTS people_read;
DROP TABLE IF EXISTS people_read;
DROP FUNCTION IF EXISTS audit_note_hourly;
ALTER TABLE audit DROP COLUMN IF EXISTS address;
DO $$ BEGIN
	IF to_regtype('audit_answer') IS NOT NULL THEN
		ALTER TYPE audit_answer DROP ATTRIBUTE IF EXISTS address CASCADE;
	END IF;
END $$;
DROP FUNCTION IF EXISTS rules_seen;
DROP INDEX IF EXISTS finding_of_rule;
-- 0041: its triggers end with the table report
DROP FUNCTION IF EXISTS report_change;
-- 0040
DROP FUNCTION IF EXISTS sign_in_link_use, sign_in_link_fail, throttle_spend, person_of_proxy, person_password_set, passkey_add,
	person_change_begin, person_proofs_remove, person_proxy_bind, person_bind, report_lock, throttle_full;
DO $$ BEGIN
	IF to_regclass('sign_in_link') IS NOT NULL THEN
		ALTER TABLE sign_in_link DROP COLUMN IF EXISTS failures;
	END IF;
END $$;
-- 0039
DELETE FROM metric WHERE kind = 'surfaced_index_damages_total';
DELETE FROM metric_kind WHERE name = 'surfaced_index_damages_total';
-- 0038
DROP VIEW IF EXISTS ai_surface, exposures;
DROP FUNCTION IF EXISTS service_exposures, evidence_endpoint, dangling_first, detector_unresolved, secret_keep;
DROP INDEX IF EXISTS secret_place_gone, secret_seen_at;
-- 0037
DROP FUNCTION IF EXISTS rule_tag_add, rule_tag_change, rule_tag_remove, rule_tags_hold, rule_manageable, rule_confine;
DROP INDEX IF EXISTS rule_setting_rule;
DROP FUNCTION IF EXISTS record_tagged;
DROP TABLE IF EXISTS dashboard_horizon, document_tag, document_tags;

-- 0036
DROP TRIGGER IF EXISTS member_console ON member;
ALTER TABLE stream_ticket DROP COLUMN IF EXISTS sign_in_uuid;
ALTER TABLE stream_slot DROP COLUMN IF EXISTS sign_in_uuid;
DROP TABLE IF EXISTS people_scope, throttle, proof_used, sign_in_link, sign_in_former, sign_in, passkey CASCADE;
ALTER TABLE member DROP COLUMN IF EXISTS person_uuid;
ALTER TABLE account DROP COLUMN IF EXISTS sign_in;
DROP TABLE IF EXISTS person;
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'api_key'::regclass AND attname = 'kind' AND NOT attisdropped) THEN
		DELETE FROM api_key WHERE kind = 'console';
		ALTER TABLE api_key DROP COLUMN kind, DROP CONSTRAINT IF EXISTS api_key_prefix_check, ALTER COLUMN sha256 SET NOT NULL,
			ADD CONSTRAINT api_key_prefix_check CHECK (prefix ~ '^sfk_[A-Za-z0-9]{8}$');
	END IF;
END $$;

-- 0035
DROP VIEW IF EXISTS secrets;
DROP FUNCTION IF EXISTS secret_places, secret_location, secret_locations;
DROP TABLE IF EXISTS secret_key, capture, secret_seen, secret_place;
DROP FUNCTION IF EXISTS secrets_captured;

-- 0034
DROP VIEW IF EXISTS typosquatting;
DROP FUNCTION IF EXISTS watched_domains, lookalike_documents, lookalike_walk, lookalike_names, lookalike_certificate, lookalike_keep,
	watched_min_score;
DROP TABLE IF EXISTS lookalike_candidate, watched_domain, domain_ranking, domain_ranking_list, parked_name_server;

-- 0033
DROP VIEW IF EXISTS dangling_dns;
DROP TRIGGER IF EXISTS dangling_assets_added ON asset;
DROP TRIGGER IF EXISTS dangling_assets_updated ON asset;
DROP TABLE IF EXISTS takeover_imported, cloud_prefix;
DROP INDEX IF EXISTS finding_typed, record_dns_target, record_dns_spf;

-- 0032
DROP TABLE IF EXISTS detector_finding, detector_work, detector_state, detector_hand;
DROP TRIGGER IF EXISTS detector_assets_added ON asset;
DROP TRIGGER IF EXISTS detector_assets_updated ON asset;
DROP TRIGGER IF EXISTS detector_entitled ON entitlement;
DROP INDEX IF EXISTS finding_of_detector;

-- 0031
DROP TABLE IF EXISTS exposure_weight, esi_daily, exposure_daily;
DROP INDEX IF EXISTS finding_counts;
DROP TYPE IF EXISTS finding_stand CASCADE;

-- 0030
DROP FUNCTION IF EXISTS rules_observed, observed_runs, observed_dataset, observation_page, observation_feed,
	observation_position_stands, observation_activity, rule_tags, rule_tag_categories;
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'tag'::regclass AND attname = 'account_uuid' AND NOT attisdropped) THEN
		DELETE FROM tag WHERE account_uuid IS NOT NULL;
		DROP TRIGGER tag_stamp ON tag;
		ALTER TABLE tag DROP COLUMN account_uuid, DROP COLUMN uuid, DROP COLUMN created_by_membership_uuid,
			DROP COLUMN created_at, DROP COLUMN updated_at, ADD PRIMARY KEY (slug);
		REVOKE INSERT, UPDATE, DELETE ON tag FROM surfaced_api;
	END IF;
END $$;
DROP FUNCTION IF EXISTS tag_stamp();
DROP INDEX IF EXISTS rule_account, rule_observation_state, rule_observation_ip, observation_event_run;

-- 0029
DROP TRIGGER IF EXISTS detect_asset ON asset;
DROP TABLE IF EXISTS rule_activity, observation_event, rule_observation, rule_run, detect_work, detect_cursor CASCADE;
DROP INDEX IF EXISTS asset_named;

-- 0028
DROP FUNCTION IF EXISTS rules_seen(uuid);
DROP TABLE IF EXISTS rule_setting, rule_version, rule, rule_move CASCADE;

-- 0027
ALTER TABLE IF EXISTS search_export DROP COLUMN IF EXISTS host;
DROP FUNCTION IF EXISTS export_sweep(uuid[], bigint, text), export_begin(uuid, bigint, bigint, text);

-- 0026
DROP TABLE IF EXISTS taxii_object;
ALTER TABLE IF EXISTS taxii_cursor DROP COLUMN IF EXISTS id, DROP COLUMN IF EXISTS more,
	DROP COLUMN IF EXISTS changes, DROP COLUMN IF EXISTS reported;

-- 0025
DROP FUNCTION IF EXISTS audit_position_stands, retention_report_requests, export_release(uuid, bigint, bigint, boolean);
DROP INDEX IF EXISTS report_request_created;

-- 0024
DROP TRIGGER IF EXISTS finding_event_found ON finding;
DROP TRIGGER IF EXISTS finding_event_changed ON finding;
DROP TABLE IF EXISTS finding_event;
ALTER TABLE finding DROP COLUMN IF EXISTS evidence, DROP COLUMN IF EXISTS confidence, DROP COLUMN IF EXISTS detector,
	DROP COLUMN IF EXISTS contradicted_at;
DELETE FROM finding_move WHERE event = 'clear';

-- 0023
DROP VIEW IF EXISTS session_timeline;
DROP TABLE IF EXISTS session_event;
DROP INDEX IF EXISTS screenshot_at;

-- 0022
DROP TABLE IF EXISTS audit_hour;
DROP TYPE IF EXISTS audit_answer CASCADE;
ALTER TABLE audit DROP COLUMN IF EXISTS uuid, DROP COLUMN IF EXISTS project_uuid, DROP COLUMN IF EXISTS changed;
DROP INDEX IF EXISTS audit_account_at, audit_account_actor, audit_account_action, audit_account_kind,
	audit_account_subject, audit_account_subject_id, audit_account_request, audit_account_project;

-- 0021
DROP TABLE IF EXISTS report_request, report_name, report_text, indicator, indicator_verdict, benign_entry, benign_list,
	vocabulary, taxii_cursor CASCADE;
DROP TABLE IF EXISTS report CASCADE;
ALTER TABLE IF EXISTS record_reports DROP CONSTRAINT IF EXISTS record_report_visibility;

-- 0020
ALTER TABLE IF EXISTS search_export DROP COLUMN IF EXISTS attempts;

RESET ROLE;
