-- SPDX-License-Identifier: ISC
-- Names without invisible characters; narrower rights of the API workers on detection rules.

-- As char_is_harmful (src/base/char.c): marks of direction, invisible characters, fillers, private use and tags. [:cntrl:] of
-- the first check has the control characters.
ALTER DOMAIN label ADD CONSTRAINT label_visible CHECK (VALUE !~
	'[\u0080-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U0010FFFF]');

-- A worker that was taken over cannot give a rule to another account, or change the rules that all accounts share.
REVOKE UPDATE ON rule FROM surfaced_api;
GRANT UPDATE (version, name, description, author, licence, dataset, scope, query, exclude, severity, tags, techniques,
	reference_urls, false_positives, tests, status, status_event, produces, replaced_by_uuid, updated_at, deleted_at)
	ON rule TO surfaced_api;
CREATE TRIGGER catalogue_rule BEFORE UPDATE ON rule FOR EACH ROW WHEN (OLD.account_uuid IS NULL)
	EXECUTE FUNCTION catalogue_rule_kept();
