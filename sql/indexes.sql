-- SPDX-License-Identifier: ISC
-- Indexes of tables that may be long. surfacectl migrate builds each that is missing after its transaction, without
-- stopping writers, and builds one again that an interruption left invalid. An index that changes gets another name.
-- A statement begins on a line of its own with these words, and ends with the semicolon of its last line.

-- A page of the audit log with any one filter reads from one of these (C-216).
CREATE INDEX CONCURRENTLY audit_account_at ON audit (account_uuid, at);
CREATE INDEX CONCURRENTLY audit_account_actor ON audit (account_uuid, actor, at);
CREATE INDEX CONCURRENTLY audit_account_action ON audit (account_uuid, action, at);
CREATE INDEX CONCURRENTLY audit_account_kind ON audit (account_uuid, subject, at);
CREATE INDEX CONCURRENTLY audit_account_subject_id ON audit (account_uuid, subject_id, at);
CREATE INDEX CONCURRENTLY audit_account_request ON audit (account_uuid, request_id, at) WHERE request_id IS NOT NULL;
CREATE INDEX CONCURRENTLY audit_account_project ON audit
	(account_uuid, audit_project(project_uuid, subject, subject_id, before, after), at);
CREATE INDEX CONCURRENTLY audit_account_changed ON audit (account_uuid, changed, id);

-- The dashboard counts the findings of a project from this index alone (C-208).
CREATE INDEX CONCURRENTLY finding_counts ON finding (project_uuid, status)
	INCLUDE (finding_type, severity, confidence, first_seen_at, last_seen_at, asset_uuid);
-- surfaced-detect asks whose inventories name an address or a host.
CREATE INDEX CONCURRENTLY asset_named ON asset (name, kind);
-- The findings of a detector in a project, when its settings change and when they are counted.
CREATE INDEX CONCURRENTLY finding_of_detector ON finding (project_uuid, detector, uuid);
-- A page of a typed area (src/api/surface/area.h): the findings of one type.
CREATE INDEX CONCURRENTLY finding_typed ON finding (project_uuid, finding_type, created_at DESC, uuid);
-- The findings of a detection rule, of which rules_seen counts the open ones.
CREATE INDEX CONCURRENTLY finding_of_rule ON finding (project_uuid, finding_rule(finding_key), created_at DESC, uuid)
	WHERE finding_rule(finding_key) IS NOT NULL;
-- Observations of a document that data have contradicted: their findings may still wait to be cleared (detect_active).
CREATE INDEX CONCURRENTLY rule_observation_contradicted ON rule_observation (document_key, dataset)
	WHERE gone_reason IN ('changed', 'removed');
-- The open findings that name a service (C-200).
CREATE INDEX CONCURRENTLY finding_open_service ON finding (service_uuid) WHERE status = 'open';
-- The DNS records that point to a name, to one below it, or to an address, and SPF policies that include it. The numbers are those
-- of the types A, NS, CNAME, MX, AAAA and SRV, and TXT.
CREATE INDEX CONCURRENTLY record_dns_target ON record_dns (dangling_target(doc) COLLATE "C")
	WHERE NOT gone AND dangling_type(key) IN (1, 2, 5, 15, 28, 33);
CREATE INDEX CONCURRENTLY record_dns_spf ON record_dns USING gin (dangling_spf(doc))
	WHERE NOT gone AND dangling_type(key) = 16 AND doc ILIKE '%v=spf1%';
