-- SPDX-License-Identifier: ISC
-- The hosts dataset: documents as they are searched, and the tags they carry.

CREATE TABLE host (
	ip inet PRIMARY KEY CHECK (masklen(ip) = CASE family(ip) WHEN 4 THEN 32 ELSE 128 END),
	doc jsonb NOT NULL CHECK (jsonb_typeof(doc) = 'object' AND doc ->> 'ip' = host(ip)),
	-- As it is answered; known before it is read, so that a page of large ones ends in time.
	bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(doc::text)) STORED
		CONSTRAINT host_too_large CHECK (bytes <= 16777216),
	changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);
-- The index follows changes by transaction, never by a sequence whose numbers commit out of order.
CREATE INDEX host_changed ON host (changed);

CREATE FUNCTION stamp_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed := pg_current_xact_id();
	RETURN NEW;
END
$$;
CREATE TRIGGER stamp_changed BEFORE UPDATE ON host FOR EACH ROW EXECUTE FUNCTION stamp_changed();

CREATE FUNCTION host_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY host_changed;
	RETURN NULL;
END
$$;
CREATE TRIGGER host_changed AFTER INSERT OR UPDATE OR DELETE ON host EXECUTE FUNCTION host_changed();

-- What is stored when a host is seen again. Members of the record with the later last_seen win (a tie
-- or none said: the new one's), the other's fill in; first_seen is the earlier and last_seen the later
-- of both. Of two records of one service, by (port, transport), the same one wins whole but for the times.
-- host_merge(x, x) = x, and a record that says no times changes none. One function with one query,
-- because an import calls it for every host: nested SQL functions took five times as long.
CREATE FUNCTION host_merge(old jsonb, new jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
	doc jsonb;
	olds jsonb := coalesce(old -> 'services', '[]');
	news jsonb := coalesce(new -> 'services', '[]');
BEGIN
	IF old = new THEN
		RETURN old;
	END IF;
	IF (new ->> 'last_seen') COLLATE "C" < (old ->> 'last_seen') COLLATE "C" THEN
		doc := new || old;
	ELSE
		doc := old || new;
	END IF;
	doc := doc || jsonb_strip_nulls(jsonb_build_object(
		'first_seen', least((old ->> 'first_seen') COLLATE "C", (new ->> 'first_seen') COLLATE "C"),
		'last_seen', greatest((old ->> 'last_seen') COLLATE "C", (new ->> 'last_seen') COLLATE "C")));
	IF olds = news THEN
		RETURN doc;
	END IF;
	-- "~" is later and "" earlier than any time.
	RETURN doc || (
		SELECT jsonb_build_object('services', jsonb_agg(s ORDER BY port, transport COLLATE "C"), 'service_count', count(*))
		  FROM (SELECT port, transport,
			       (array_agg(s ORDER BY rank DESC, ord DESC))[1]
			       || jsonb_strip_nulls(jsonb_build_object('first_seen', min(first), 'last_seen', max(last))) AS s
			  FROM (SELECT (s ->> 'port')::integer AS port, coalesce(s ->> 'transport', '') AS transport,
				       (s ->> 'first_seen') COLLATE "C" AS first, (s ->> 'last_seen') COLLATE "C" AS last,
				       coalesce(s ->> 'last_seen', CASE WHEN ord > jsonb_array_length(olds) THEN '~' ELSE '' END)
					       COLLATE "C" AS rank, ord, s
				  FROM jsonb_array_elements(olds || news) WITH ORDINALITY AS e(s, ord)) AS every
			 GROUP BY port, transport) AS merged);
END
$$;
GRANT EXECUTE ON FUNCTION host_merge TO surfaced_admin;

-- Full paths, each with its parents in the list too; CONTRACT and SPEC 2.2.
CREATE FUNCTION tag_categories_valid(categories text[]) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT cardinality(categories) <= 4 AND array_position(categories, NULL) IS NULL
	   AND (SELECT coalesce(bool_and(c ~ '^[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*$'
			AND char_length(c) <= 128
			AND (c !~ '/' OR regexp_replace(c, '/[^/]*$', '') = ANY (categories))), true)
	          FROM unnest(categories) AS c)
	   AND cardinality(categories) = (SELECT count(DISTINCT c) FROM unnest(categories) AS c)
$$;

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

CREATE FUNCTION tag_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY tag_changed;
	RETURN NULL;
END
$$;
CREATE TRIGGER tag_changed AFTER INSERT OR UPDATE OR DELETE ON tag EXECUTE FUNCTION tag_changed();

GRANT EXECUTE ON FUNCTION tag_categories_valid TO surfaced_admin; -- its CHECK runs as the writer
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

-- After the seed: what comes with the product is nobody's act.
CREATE TRIGGER audit_row AFTER INSERT OR UPDATE OR DELETE ON tag FOR EACH ROW EXECUTE FUNCTION audit_row('slug');
