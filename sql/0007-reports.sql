-- SPDX-License-Identifier: ISC
-- Reports with their indicators, names and texts. What searches find is a document in the table record (dataset 6),
-- which report_put (functions/report.sql) writes in the transaction that writes these tables.

CREATE TABLE report (
	uuid uuid PRIMARY KEY,
	account_uuid uuid REFERENCES account, -- null: every account reads it
	source_kind text NOT NULL CHECK (source_kind IN ('native', 'stix', 'misp', 'text', 'html', 'pdf')),
	source_ref text NOT NULL CHECK (octet_length(source_ref) BETWEEN 1 AND 2048),
	status text NOT NULL CHECK (status IN ('published', 'withdrawn')),
	revision bigint NOT NULL CHECK (revision > 0),
	title text, summary text, publisher text, url text, language text,
	tlp text CHECK (tlp IN ('clear', 'green', 'amber', 'amber+strict', 'red')),
	threat_actors text[] NOT NULL, malware_families text[] NOT NULL, sectors text[] NOT NULL, techniques text[] NOT NULL,
	cves text[] NOT NULL, countries text[] NOT NULL, tags text[] NOT NULL,
	published_at timestamptz,
	imported_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	first_seen timestamptz NOT NULL, -- as the source has it, else the times of the imports
	last_seen timestamptz NOT NULL,
	truncated boolean NOT NULL, -- the source has more indicators than are stored
	digest bytea NOT NULL CHECK (octet_length(digest) = 32), -- of the contents as the source last had them: the same is no new revision
	CONSTRAINT report_identity UNIQUE NULLS NOT DISTINCT (account_uuid, source_kind, source_ref),
	-- A shared report is read by every account, which these two marks forbid (C-131).
	CONSTRAINT report_tlp_private CHECK (account_uuid IS NOT NULL OR tlp IS NULL OR tlp NOT IN ('amber+strict', 'red'))
);
CREATE INDEX report_private ON report (account_uuid) WHERE account_uuid IS NOT NULL;

-- The audit log names what happened to a report: a new revision is report.change, and report.published and
-- report.withdrawn are moves between the two.
CREATE TRIGGER audit_report AFTER INSERT ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL) EXECUTE FUNCTION audit_row('uuid');

CREATE TRIGGER audit_report_move AFTER UPDATE ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL AND NEW.status <> OLD.status) EXECUTE FUNCTION audit_row('uuid', 'status');
CREATE TRIGGER audit_report_change AFTER UPDATE ON report FOR EACH ROW
	WHEN (NEW.account_uuid IS NOT NULL AND NEW.status = OLD.status AND NEW.revision <> OLD.revision)
	EXECUTE FUNCTION audit_row('uuid');

-- The text is kept for searches. Only the organisation that owns the report may read it.
CREATE TABLE report_text (
	report_uuid uuid PRIMARY KEY REFERENCES report,
	text text COMPRESSION lz4 NOT NULL CHECK (octet_length(text) <= 8388608)
);

CREATE TABLE indicator (
	report_uuid uuid NOT NULL REFERENCES report,
	uuid uuid NOT NULL, -- version 5 of the report, the type and the value
	type text NOT NULL CHECK (type IN ('ipv4', 'ipv6', 'cidr', 'domain', 'url', 'email', 'md5', 'sha1', 'sha256', 'sha512',
		'certificate_sha256', 'jarm', 'asn', 'cve', 'technique', 'bitcoin')),
	value text NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 4096),
	disposition text NOT NULL CHECK (disposition IN ('indicator', 'mention', 'ignored')),
	confidence smallint NOT NULL CHECK (confidence BETWEEN 0 AND 100),
	occurrences integer NOT NULL CHECK (occurrences > 0),
	defanged boolean NOT NULL,
	section text, context text, ignored_by text,
	labels text[] NOT NULL,
	first_seen_at timestamptz, last_seen_at timestamptz, valid_until timestamptz,
	withdrawn_at timestamptz, -- the revision of that time does not have it any more
	PRIMARY KEY (report_uuid, uuid),
	CONSTRAINT indicator_ignored CHECK (ignored_by IS NULL OR disposition = 'ignored')
);

-- md5: a value of 4096 bytes is too long for an index.
CREATE INDEX indicator_value ON indicator (type, md5(value));

CREATE INDEX indicator_page ON indicator (report_uuid, confidence DESC, uuid) WHERE withdrawn_at IS NULL;

CREATE TABLE report_name (
	report_uuid uuid NOT NULL REFERENCES report,
	kind text NOT NULL CHECK (kind IN ('actor', 'malware', 'tool', 'sector', 'country')),
	name text NOT NULL,
	matched_as text,
	confidence smallint NOT NULL CHECK (confidence BETWEEN 0 AND 100),
	PRIMARY KEY (report_uuid, kind, name)
);

-- An account's own word on a value, over every report.
CREATE TABLE indicator_verdict (
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	account_uuid uuid NOT NULL REFERENCES account,
	type text NOT NULL,
	value text NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 4096),
	disposition text NOT NULL CHECK (disposition IN ('indicator', 'ignored')),
	reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
	created_by_membership_uuid uuid REFERENCES member,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX indicator_verdict_value ON indicator_verdict (account_uuid, type, md5(value));
CREATE INDEX indicator_verdict_page ON indicator_verdict (account_uuid, created_at DESC, uuid);
CREATE TRIGGER audit_verdict AFTER INSERT OR UPDATE OR DELETE ON indicator_verdict FOR EACH ROW
	EXECUTE FUNCTION audit_row('uuid', 'disposition');

-- Lists of harmless values, which imports of texts compare with.
CREATE TABLE benign_list (
	name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 200),
	licence text,
	version text,
	imported_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE benign_entry (
	list text NOT NULL REFERENCES benign_list ON DELETE CASCADE,
	type text NOT NULL,
	value text NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 2048),
	PRIMARY KEY (type, value, list)
);

-- The names of actors, families and the like by which texts know them.
CREATE TABLE vocabulary (
	kind text NOT NULL CHECK (kind IN ('actor', 'malware', 'tool', 'sector', 'country')),
	name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 800),
	alias text NOT NULL CHECK (octet_length(alias) BETWEEN 1 AND 800),
	ambiguous boolean NOT NULL DEFAULT false,
	PRIMARY KEY (alias, kind, name)
);

-- The Idempotency-Keys of POST /reports, as hashes (src/access/idem.h).
CREATE TABLE report_request (
	space bytea PRIMARY KEY,
	request bytea NOT NULL,
	report_uuid uuid NOT NULL REFERENCES report,
	created_at timestamptz NOT NULL DEFAULT now()
);

-- Rows of report_request are deleted by their age (functions/retention.sql).
CREATE INDEX report_request_created ON report_request (created_at);

-- Where the next request to a TAXII collection begins: the header X-TAXII-Date-Added-Last of the last page that was stored.
CREATE TABLE taxii_cursor (
	account_uuid uuid REFERENCES account,
	url text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048),
	filters text NOT NULL DEFAULT '',
	added_after text,
	updated_at timestamptz NOT NULL DEFAULT now(),
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	more boolean NOT NULL DEFAULT false, -- the page of added_after was not the last one
	changes bigint NOT NULL DEFAULT 0, -- of objects, since the collection was first read
	reported bigint NOT NULL DEFAULT 0, -- the number of changes that reports show
	CONSTRAINT taxii_cursor_collection UNIQUE NULLS NOT DISTINCT (account_uuid, url, filters)
);

-- Objects of TAXII collections. A page of a collection may refer to objects of any other page, so reports are made from
-- all objects that surfacectl import taxii has read (src/cli/report/taxii_priv.h).
CREATE TABLE taxii_object (
	cursor_id bigint NOT NULL REFERENCES taxii_cursor ON DELETE CASCADE,
	id text NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 300),
	type text NOT NULL,
	month text NOT NULL, -- of its creation, '2026-03'; 'undated'
	modified timestamptz NOT NULL, -- '-infinity': it has no time
	object text NOT NULL, -- as the server sent it
	PRIMARY KEY (cursor_id, id)
);

GRANT SELECT ON report, report_text, indicator, report_name, indicator_verdict, benign_list, benign_entry, vocabulary
	TO surfaced_api, surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON indicator_verdict TO surfaced_api;
GRANT SELECT, INSERT ON report_request TO surfaced_api;
GRANT INSERT, UPDATE, DELETE ON benign_list, benign_entry, vocabulary, taxii_cursor TO surfaced_admin;
GRANT SELECT ON taxii_cursor TO surfaced_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON taxii_object TO surfaced_admin;
