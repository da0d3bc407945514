-- SPDX-License-Identifier: ISC
-- Dangling DNS records: AREAS.md 4.

-- The findings with what their evidence contains (src/api/dangling.c).
CREATE VIEW dangling_dns AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       evidence_text(evidence, 'kind') AS kind, evidence_text(evidence, 'host') AS host,
       evidence_text(evidence, 'record_type') AS record_type, evidence_text(evidence, 'target') AS target,
       evidence_objects(evidence, 'chain', '{name,type,rcode,seen_at}', 9) AS chain,
       evidence_text(evidence, 'provider') AS provider, evidence_text(evidence, 'claim') AS claim,
       evidence_text(evidence, 'region') AS region, evidence_text(evidence, 'matched_by') AS matched_by,
       evidence_text(evidence, 'remediation') AS remediation
  FROM finding WHERE finding_type = 'dangling_dns';

GRANT SELECT ON dangling_dns TO surfaced_api, surfaced_admin;
