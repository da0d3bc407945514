-- SPDX-License-Identifier: ISC
-- The documents of every dataset, as searches find them, with their tags, their history and the state of the indexes.

-- Tags of documents. account_uuid: null is a common tag, which imports and surfacectl tags write and everybody sees.
-- Whatever makes the shared index reads common tags alone: an account's words never reach what other accounts search
-- (C-158). surfaced_api writes the tags of accounts with the functions of functions/rule_tag.sql; it has no right on
-- common tags, which concern all accounts.
CREATE TABLE tag (
	slug text NOT NULL CHECK (char_length(slug) BETWEEN 1 AND 128 AND slug = lower(slug)
		AND slug !~ '[[:cntrl:]]|^[[:space:]]|[[:space:]]$'),
	name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 256),
	categories text[] NOT NULL DEFAULT '{}' CHECK (tag_categories_valid(categories)),
	classification text NOT NULL DEFAULT 'informational'
		CHECK (classification IN ('informational', 'benign', 'suspicious', 'malicious')),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	account_uuid uuid REFERENCES account,
	uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	created_by_membership_uuid uuid REFERENCES member,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tag_changed ON tag (changed);
CREATE UNIQUE INDEX tag_slug_taken ON tag (account_uuid, slug) NULLS NOT DISTINCT;
INSERT INTO tag (slug, name, categories, classification) VALUES
	('botnet', 'Botnet member', '{malware,malware/botnet}', 'malicious'),
	('c2', 'Command and control', '{malware,malware/c2}', 'malicious'),
	('cobalt-strike', 'Cobalt Strike', '{malware,malware/c2}', 'malicious'),
	('cryptominer', 'Cryptocurrency miner', '{malware,malware/miner}', 'malicious'),
	('malware', 'Malware', '{malware}', 'malicious'),
	('malware-download', 'Malware distribution', '{malware,malware/distribution}', 'malicious'),
	('ransomware', 'Ransomware infrastructure', '{malware,malware/ransomware}', 'malicious'),
	('sliver', 'Sliver', '{malware,malware/c2}', 'malicious'),
	('metasploit', 'Metasploit', '{malware,malware/c2}', 'malicious'),
	('webshell', 'Web shell', '{malware,malware/webshell}', 'malicious'),
	('phishing', 'Phishing', '{fraud,fraud/phishing}', 'malicious'),
	('scam', 'Scam', '{fraud,fraud/scam}', 'malicious'),
	('spam', 'Spam source', '{abuse,abuse/spam}', 'malicious'),
	('brute-force', 'Brute-force attacker', '{abuse,abuse/brute-force}', 'malicious'),
	('ddos', 'Denial-of-service source', '{abuse,abuse/ddos}', 'malicious'),
	('scanner', 'Scanner', '{scanner}', 'suspicious'),
	('scanner-benign', 'Research scanner', '{scanner,scanner/research}', 'benign'),
	('bulletproof', 'Bulletproof hosting', '{network,network/hosting}', 'suspicious'),
	('tor-exit', 'Tor exit', '{anonymity,anonymity/tor}', 'suspicious'),
	('tor-relay', 'Tor relay', '{anonymity,anonymity/tor}', 'informational'),
	('vpn', 'VPN', '{anonymity,anonymity/vpn}', 'informational'),
	('proxy', 'Proxy', '{anonymity,anonymity/proxy}', 'suspicious'),
	('open-proxy', 'Open proxy', '{anonymity,anonymity/proxy,exposure}', 'suspicious'),
	('residential-proxy', 'Residential proxy', '{anonymity,anonymity/proxy}', 'suspicious'),
	('honeypot', 'Honeypot', '{research,research/honeypot}', 'benign'),
	('sinkhole', 'Sinkhole', '{research,research/sinkhole}', 'benign'),
	('cdn', 'Content delivery network', '{network,network/cdn}', 'benign'),
	('cloud', 'Cloud', '{network,network/cloud}', 'informational'),
	('hosting', 'Hosting', '{network,network/hosting}', 'informational'),
	('residential', 'Residential network', '{network,network/residential}', 'informational'),
	('mobile', 'Mobile network', '{network,network/mobile}', 'informational'),
	('anycast', 'Anycast', '{network,network/anycast}', 'informational'),
	('dns', 'DNS server', '{service,service/dns}', 'informational'),
	('open-resolver', 'Open DNS resolver', '{service,service/dns,exposure}', 'suspicious'),
	('mail', 'Mail server', '{service,service/mail}', 'informational'),
	('web', 'Web server', '{service,service/web}', 'informational'),
	('database', 'Database', '{service,service/database}', 'informational'),
	('open-database', 'Database without login', '{service,service/database,exposure}', 'suspicious'),
	('file-share', 'File sharing', '{service,service/file-share}', 'informational'),
	('open-directory', 'Open directory', '{exposure,exposure/open-directory}', 'suspicious'),
	('remote-access', 'Remote access', '{service,service/remote-access}', 'informational'),
	('ssh', 'SSH', '{service,service/remote-access}', 'informational'),
	('rdp', 'Remote desktop', '{service,service/remote-access}', 'informational'),
	('vnc', 'VNC', '{service,service/remote-access}', 'informational'),
	('login', 'Login page', '{web,web/login}', 'informational'),
	('admin-panel', 'Administration panel', '{web,web/login,exposure}', 'informational'),
	('default-page', 'Default page', '{web,web/default-page}', 'informational'),
	('self-signed', 'Self-signed certificate', '{tls,tls/certificate}', 'informational'),
	('expired-certificate', 'Expired certificate', '{tls,tls/certificate}', 'informational'),
	('iot', 'Internet of things', '{device,device/iot}', 'informational'),
	('camera', 'Camera', '{device,device/iot,device/iot/camera}', 'informational'),
	('printer', 'Printer', '{device,device/printer}', 'informational'),
	('router', 'Router', '{device,device/router}', 'informational'),
	('nas', 'Network storage', '{device,device/nas}', 'informational'),
	('voip', 'Telephony', '{device,device/voip}', 'informational'),
	('ics', 'Industrial control system', '{ics}', 'informational'),
	('scada', 'SCADA', '{ics,ics/scada}', 'informational'),
	('plc', 'Programmable logic controller', '{ics,ics/plc}', 'informational'),
	('building-automation', 'Building automation', '{ics,ics/building}', 'informational'),
	('eol', 'End-of-life software', '{exposure,exposure/eol}', 'suspicious'),
	('vulnerable', 'Known vulnerable', '{exposure,exposure/vulnerable}', 'suspicious');
CREATE TRIGGER stamp_changed BEFORE UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER tag_changed AFTER INSERT OR UPDATE OR DELETE ON tag EXECUTE FUNCTION tag_changed();

-- The trigger of the audit log follows the rows above, so that the log has the changes of administrators alone.
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON tag FOR EACH ROW EXECUTE FUNCTION audit_row('slug');

CREATE TRIGGER tag_stamp BEFORE UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION tag_stamp();

-- A row for each document. src/record prints and merges documents; to SQL they are text, because COPY of text costs
-- half the time of COPY of jsonb and nothing here looks inside.
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
CREATE TABLE record_reports PARTITION OF record (
	CONSTRAINT record_report_visibility CHECK (gone OR doc LIKE '%"visibility":%') -- searches ask for it
) FOR VALUES IN (6);
CREATE TABLE record_directories PARTITION OF record FOR VALUES IN (7);

-- An index follows changes by transaction, never by a sequence whose numbers commit out of order.
CREATE INDEX record_changed ON record (dataset, changed);

-- A certificate is looked up by its fingerprint, which is the end of its key (src/record/key.c).
CREATE INDEX record_fingerprint ON record_certificates (substr(key, 9));

-- A report is named by its UUID, the end of its key (src/record/key.c). A new published_at moves it to another key, and
-- the former row stays as the mark of a deletion; so one row alone of a UUID is a report.
CREATE UNIQUE INDEX record_report ON record_reports (substr(key, 9)) WHERE NOT gone;

CREATE TRIGGER stamp_changed BEFORE UPDATE ON record FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER record_inserted AFTER INSERT ON record REFERENCING NEW TABLE AS written FOR EACH STATEMENT
	EXECUTE FUNCTION record_notify();
CREATE TRIGGER record_updated AFTER UPDATE ON record REFERENCING NEW TABLE AS written FOR EACH STATEMENT
	EXECUTE FUNCTION record_notify();
CREATE TRIGGER record_truncated AFTER TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION record_truncated();

-- The bytes that a document was made from: the DER of a certificate.
CREATE TABLE record_blob (
	dataset smallint NOT NULL,
	key bytea NOT NULL,
	blob bytea NOT NULL CHECK (octet_length(blob) BETWEEN 1 AND 65536),
	PRIMARY KEY (dataset, key)
);

-- The state of each index that follows the table: its last snapshot. An index may go on only while its row is here,
-- since the deletions after its snapshot are kept as long; without a row it reads the whole dataset again. at: when the
-- index was last known to be up to date. surfaced-index sets it when a pass has succeeded, and `fault` when it has not.
CREATE TABLE search_feed (
	engine text NOT NULL CHECK (octet_length(engine) BETWEEN 1 AND 100),
	dataset smallint NOT NULL,
	snapshot pg_snapshot NOT NULL,
	at timestamptz NOT NULL DEFAULT now(),
	-- Of ClickHouse: epoch grows each time another process, or another connection, begins to feed. It is the upper half of
	-- the versions of rows in ClickHouse, so a row of a later feeder always replaces one of a former.
	epoch bigint NOT NULL DEFAULT 0,
	refill boolean NOT NULL DEFAULT false, -- the wish for a new layout (surfacectl search switch)
	fault text CHECK (octet_length(fault) BETWEEN 1 AND 1000),
	PRIMARY KEY (engine, dataset)
);

CREATE SEQUENCE record_event_seq;

-- The history of records: an event for each change of a host or a registration (src/record/event.h). The transaction that
-- changes a record adds its events by record_event_add (functions/event.sql).
CREATE TABLE record_event (
	dataset smallint NOT NULL, -- the numbers of src/tbl/datasets.h
	key bytea NOT NULL,
	at timestamptz NOT NULL, -- when the change was seen, by the data
	seq bigint NOT NULL DEFAULT nextval('record_event_seq'), -- orders the events of one moment
	kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 10), -- the numbers of src/tbl/event_kinds.h
	what text COMPRESSION lz4 NOT NULL CHECK (octet_length(what) <= 16384), -- a JSON object
	PRIMARY KEY (dataset, key, at, seq)
) PARTITION BY RANGE (at);

ALTER SEQUENCE record_event_seq OWNED BY record_event.seq;

-- A partition for each month of UTC, because an old month goes by DROP TABLE and not row by row. surfaced-alert makes
-- and drops them (record_event_keep).
DO $$
DECLARE
	m timestamp;
BEGIN
	FOR m IN SELECT generate_series(date_trunc('month', (now() - interval '365 days') AT TIME ZONE 'UTC'),
		now() AT TIME ZONE 'UTC' + interval '2 months', interval '1 month')
	LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF record_event FOR VALUES FROM (%L) TO (%L)',
			'record_event_' || to_char(m, 'YYYYMM'), m AT TIME ZONE 'UTC', (m + interval '1 month') AT TIME ZONE 'UTC');
	END LOOP;
END
$$;

-- From when on the history has all events: the later of the two. One row.
CREATE TABLE record_history (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	began timestamptz NOT NULL, -- when months were last dropped, the beginning of what stayed; -infinity: none ever was
	oldest timestamptz NOT NULL -- the beginning of the first month that record_event keeps
);
INSERT INTO record_history (began, oldest) VALUES ('-infinity', date_trunc('month', now() - interval '365 days', 'UTC'));

-- When surfacectl last imported each kind of record: a file that it read to the end, with bad records or without.
CREATE TABLE import_last (
	kind text PRIMARY KEY, -- as in "surfacectl import KIND"
	at timestamptz NOT NULL
);

GRANT SELECT ON tag TO surfaced_api, surfaced_index, surfaced_admin;
GRANT INSERT, UPDATE ON tag TO surfaced_admin;
GRANT SELECT ON record, record_blob TO surfaced_api, surfaced_index, surfaced_admin;
GRANT SELECT, INSERT, UPDATE ON search_feed TO surfaced_index;
GRANT SELECT ON search_feed TO surfaced_admin;
GRANT INSERT, UPDATE ON record TO surfaced_admin;
GRANT INSERT, UPDATE, DELETE ON record_blob TO surfaced_admin;
GRANT SELECT ON record_event, record_history TO surfaced_api, surfaced_admin;
GRANT UPDATE (refill) ON search_feed TO surfaced_admin;
GRANT SELECT ON tag TO surfaced_detect;
GRANT DELETE ON search_feed TO surfaced_index;
GRANT SELECT ON import_last TO surfaced_admin;
