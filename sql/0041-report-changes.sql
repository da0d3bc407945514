-- SPDX-License-Identifier: ISC
-- The organisation of a report may read its text (report_text) and change its title, its TLP and its tags, which its line in
-- the audit log names: a new revision is report.change, and report.published and report.withdrawn are moves between the two.
-- The digest is that of the contents as the source last had them.

DROP TRIGGER audit_report ON report;
CREATE TRIGGER audit_report AFTER INSERT ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL) EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_report_move AFTER UPDATE ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL AND NEW.status <> OLD.status) EXECUTE FUNCTION audit_row('uuid', 'status');
CREATE TRIGGER audit_report_change AFTER UPDATE ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL AND NEW.status = OLD.status AND NEW.revision <> OLD.revision)
	EXECUTE FUNCTION audit_row('uuid');
