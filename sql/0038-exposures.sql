-- SPDX-License-Identifier: ISC
-- Views of the AI surface and of exposed services (C-164, C-194 to C-200).

-- The findings of rules with the members of their evidence as columns (src/api/exposure.c). The
-- catalogue has a rule with the name of each product, and for some products a second one, "...
-- answers without a login". The product of the service may be a proxy in front of it, so its
-- version is used only when it is the product of the rule.
CREATE VIEW ai_surface AS
SELECT f.project_uuid, f.uuid, f.asset_uuid, f.service_uuid, f.status, f.severity, f.confidence, f.title, f.created_at,
       f.first_seen_at, f.last_seen_at, evidence_text(f.evidence, 'kind') AS kind, evidence_text(f.evidence, 'kind') AS category,
       p.product, CASE WHEN strpos(lower(evidence_text(f.evidence, 'product')), lower(p.product)) > 0
	THEN evidence_text(f.evidence, 'version') END AS version,
       evidence_text(f.evidence, 'auth') AS auth, evidence_endpoint(f.evidence -> 'record') AS endpoint,
       evidence_text(f.evidence -> 'record', 'ip') AS ip, evidence_integer(f.evidence -> 'record', 'port', 0, 65535) AS port,
       evidence_text(f.evidence -> 'record', 'hostname') AS hostname, evidence_texts(f.evidence, 'models', 32) AS models,
       evidence_texts(f.evidence, 'capabilities', 64) AS capabilities, evidence_uuid(f.evidence, 'rule_uuid') AS rule_uuid,
       evidence_flag(f.evidence, 'suspect') AS suspect, evidence_text(f.evidence, 'matched_by') AS matched_by
  FROM finding f, LATERAL (SELECT coalesce(regexp_replace(evidence_text(f.evidence, 'rule_name'), ' answers without a login$', ''),
	evidence_text(f.evidence, 'product')) AS product) AS p
 WHERE f.finding_type = 'ai_surface';

CREATE VIEW exposures AS
SELECT project_uuid, uuid, asset_uuid, service_uuid, status, severity, confidence, title, created_at, first_seen_at, last_seen_at,
       coalesce(exposure_kind, evidence_text(evidence, 'kind')) AS kind, evidence_text(evidence, 'product') AS product,
       evidence_text(evidence, 'version') AS version, evidence_text(evidence, 'auth') AS auth,
       evidence_endpoint(evidence -> 'record') AS endpoint, evidence_text(evidence -> 'record', 'ip') AS ip,
       evidence_integer(evidence -> 'record', 'port', 0, 65535) AS port, evidence_text(evidence -> 'record', 'transport') AS transport,
       evidence_text(evidence -> 'record', 'hostname') AS hostname, evidence_flag(evidence, 'tls_enabled') AS tls_enabled,
       evidence_objects(evidence, 'matched', '{field,value}', 16) AS matched, evidence_uuid(evidence, 'rule_uuid') AS rule_uuid,
       evidence_flag(evidence, 'suspect') AS suspect, evidence_text(evidence, 'matched_by') AS matched_by
  FROM finding WHERE finding_type = 'exposed_service';

-- Old notes and places of secrets are deleted (secret_keep).
CREATE INDEX secret_place_gone ON secret_place (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX secret_seen_at ON secret_seen (seen_at);

-- detector_unresolved counts the findings of every detector.
DROP FUNCTION IF EXISTS secret_findings, dangling_count;

GRANT SELECT ON ai_surface, exposures TO surfaced_api, surfaced_admin;
