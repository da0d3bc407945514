-- SPDX-License-Identifier: ISC
-- The hosts dataset: documents as they are searched, and the tags they carry.

CREATE TABLE host (
	ip inet PRIMARY KEY CHECK (masklen(ip) = CASE family(ip) WHEN 4 THEN 32 ELSE 128 END),
	doc jsonb NOT NULL CHECK (jsonb_typeof(doc) = 'object' AND doc ->> 'ip' = host(ip)),
	-- The size of the document in an answer. It is stored, so that a page of large documents can end early.
	bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(doc::text)) STORED
		CONSTRAINT host_too_large CHECK (bytes <= 16777216),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- The index follows changes by transaction, never by a sequence whose numbers commit out of order.
CREATE INDEX host_changed ON host (changed);
CREATE TRIGGER stamp_changed BEFORE UPDATE ON host FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER host_changed AFTER INSERT OR UPDATE OR DELETE ON host EXECUTE FUNCTION host_changed();

CREATE TABLE tag (
	slug text PRIMARY KEY CHECK (char_length(slug) BETWEEN 1 AND 128 AND slug = lower(slug)
		AND slug !~ '[[:cntrl:]]|^[[:space:]]|[[:space:]]$'),
	name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 256),
	categories text[] NOT NULL DEFAULT '{}' CHECK (tag_categories_valid(categories)),
	classification text NOT NULL DEFAULT 'informational'
		CHECK (classification IN ('informational', 'benign', 'suspicious', 'malicious')),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX tag_changed ON tag (changed);
CREATE TRIGGER stamp_changed BEFORE UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION stamp_changed();
CREATE TRIGGER tag_changed AFTER INSERT OR UPDATE OR DELETE ON tag EXECUTE FUNCTION tag_changed();

GRANT SELECT ON host, tag TO surfaced_api, surfaced_index, surfaced_admin;
GRANT INSERT, UPDATE ON host, tag TO surfaced_admin;
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

-- Created after the rows above, because nobody created those by hand.
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON tag FOR EACH ROW EXECUTE FUNCTION audit_row('slug');

-- ---- deleted hosts ----

-- The search index follows deletions as it follows changes, by transaction.

CREATE TABLE host_gone (
	ip inet NOT NULL,
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX host_gone_changed ON host_gone (changed);
CREATE INDEX host_gone_at ON host_gone (at);

-- An index may go on with host_gone alone when its snapshot shows `begun` (this migration, or the last
-- TRUNCATE, which lists no rows) and lies wholly behind `purged` (the newest row that was removed).
CREATE TABLE host_gone_horizon (begun xid8 NOT NULL, purged xid8 NOT NULL);
INSERT INTO host_gone_horizon VALUES (pg_current_xact_id(), '0');
CREATE TRIGGER host_gone AFTER DELETE ON host REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
	EXECUTE FUNCTION host_gone();
CREATE TRIGGER host_truncated AFTER TRUNCATE ON host FOR EACH STATEMENT EXECUTE FUNCTION host_gone();

GRANT SELECT ON host_gone, host_gone_horizon TO surfaced_index;
