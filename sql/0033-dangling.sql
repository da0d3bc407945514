-- SPDX-License-Identifier: ISC
-- Tables of the detector dangling-dns (C-169 to C-175).

-- The findings with the members of their evidence as columns (src/api/dangling.c).
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

-- Suffixes of providers that an import has added to src/tbl/takeover.h.
CREATE TABLE takeover_imported (
	suffix text PRIMARY KEY CHECK (octet_length(suffix) BETWEEN 3 AND 253), -- in lower case
	provider text NOT NULL CHECK (char_length(provider) BETWEEN 1 AND 200),
	mode text NOT NULL CHECK (mode IN ('nxdomain', 'page')),
	claim text NOT NULL CHECK (claim IN ('open', 'disputed', 'closed')),
	page text CHECK (char_length(page) BETWEEN 1 AND 1000) -- a text of the page for unclaimed names
);

-- The address ranges that cloud providers publish.
CREATE TABLE cloud_prefix (
	provider text NOT NULL CHECK (char_length(provider) BETWEEN 1 AND 200),
	prefix cidr NOT NULL,
	region text CHECK (char_length(region) BETWEEN 1 AND 200),
	service text CHECK (char_length(service) BETWEEN 1 AND 200),
	shared boolean NOT NULL DEFAULT false, -- it serves all customers, such as a CDN: its addresses are nobody's
	PRIMARY KEY (provider, prefix)
);
CREATE INDEX cloud_prefix_contains ON cloud_prefix USING gist (prefix inet_ops);

GRANT SELECT ON takeover_imported, cloud_prefix TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON takeover_imported, cloud_prefix TO surfaced_admin;

CREATE TRIGGER dangling_assets_added AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_assets_changed();
CREATE TRIGGER dangling_assets_updated AFTER UPDATE ON asset REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION dangling_assets_changed();
CREATE TRIGGER takeover_changed AFTER INSERT OR UPDATE OR DELETE ON takeover_imported FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_providers_changed();
CREATE TRIGGER cloud_changed AFTER INSERT OR UPDATE OR DELETE ON cloud_prefix FOR EACH STATEMENT
	EXECUTE FUNCTION dangling_providers_changed();

-- Asks for a look at all existing data.
SELECT detector_ask_all('dangling-dns', NULL);
