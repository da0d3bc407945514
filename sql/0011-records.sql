-- SPDX-License-Identifier: ISC
-- Documents of every dataset but hosts, which still have a table of their own (0003). src/record prints and merges
-- them; to SQL they are text, because COPY of text costs half the time of COPY of jsonb and nothing here looks inside.

CREATE TABLE record (
	dataset smallint NOT NULL, -- the numbers of src/tbl/datasets.h
	key bytea NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 600), -- its order is that of the answers
	doc text COMPRESSION lz4 NOT NULL, -- '' when the record is gone
	bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(doc)) STORED
		CONSTRAINT record_too_large CHECK (bytes <= 16777216),
	gone boolean NOT NULL DEFAULT false,
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	PRIMARY KEY (dataset, key),
	CONSTRAINT record_gone CHECK (gone = (doc = ''))
) PARTITION BY LIST (dataset);

-- A partition each: one set of statements serves all datasets, yet each has its own heap, indexes and vacuum.
CREATE TABLE record_hosts PARTITION OF record FOR VALUES IN (1);
CREATE TABLE record_dns PARTITION OF record FOR VALUES IN (3);
CREATE TABLE record_whois PARTITION OF record FOR VALUES IN (4);
CREATE TABLE record_certificates PARTITION OF record FOR VALUES IN (5);
CREATE TABLE record_reports PARTITION OF record FOR VALUES IN (6);
CREATE TABLE record_directories PARTITION OF record FOR VALUES IN (7);
-- An index follows changes by transaction, never by a sequence whose numbers commit out of order.
CREATE INDEX record_changed ON record (dataset, changed);
CREATE TRIGGER stamp_changed BEFORE UPDATE ON record FOR EACH ROW EXECUTE FUNCTION stamp_changed();

-- The bytes that a document was made from: the DER of a certificate.
CREATE TABLE record_blob (
	dataset smallint NOT NULL,
	key bytea NOT NULL,
	blob bytea NOT NULL CHECK (octet_length(blob) BETWEEN 1 AND 65536),
	PRIMARY KEY (dataset, key)
);

-- The state of each index that follows the table: its last snapshot. An index may go on only while its row is here,
-- since the deletions after its snapshot are kept as long; without a row it reads the whole dataset again.
CREATE TABLE search_feed (
	engine text NOT NULL CHECK (octet_length(engine) BETWEEN 1 AND 100),
	dataset smallint NOT NULL,
	snapshot pg_snapshot NOT NULL,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (engine, dataset)
);

CREATE TRIGGER record_inserted AFTER INSERT ON record REFERENCING NEW TABLE AS written FOR EACH STATEMENT
	EXECUTE FUNCTION record_notify();
CREATE TRIGGER record_updated AFTER UPDATE ON record REFERENCING NEW TABLE AS written FOR EACH STATEMENT
	EXECUTE FUNCTION record_notify();

CREATE TRIGGER record_truncated AFTER TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION record_truncated();

GRANT SELECT ON record, record_blob TO surfaced_api, surfaced_index, surfaced_admin;
GRANT SELECT, INSERT, UPDATE ON search_feed TO surfaced_index;
GRANT SELECT ON search_feed TO surfaced_admin;
GRANT INSERT, UPDATE ON record TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON record_blob TO surfaced_admin;
