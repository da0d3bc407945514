-- SPDX-License-Identifier: ISC
-- Scopes for reports of an account, detectors, the dashboard, access and the audit log.

-- PostgreSQL cannot validate a domain that an array uses (api_key.scopes). NOT VALID skips that; every stored value is
-- of the shorter list, and new ones are checked.
ALTER DOMAIN scope_name DROP CONSTRAINT scope_name_check;
ALTER DOMAIN scope_name ADD CONSTRAINT scope_name_check CHECK (VALUE IN ('search.view', 'search.aggregate',
	'reports.view', 'reports.manage', 'alerts.rules.view', 'alerts.rules.manage', 'alerts.silences.view',
	'alerts.silences.manage', 'browser.sessions.view', 'browser.sessions.create', 'browser.sessions.manage',
	'esi.inventory.view', 'esi.services.view', 'esi.findings.view', 'esi.findings.manage', 'esi.detectors.manage',
	'rules.view', 'rules.manage', 'dashboard.view', 'access.view', 'audit.view')) NOT VALID;
