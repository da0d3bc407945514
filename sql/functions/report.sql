-- SPDX-License-Identifier: ISC
-- Reports: their tables and the document in record that searches find are written by one call, so that neither is ever
-- without the other. src/resource/report_store.c has decided what is written.

-- The document of a report in record: under another key when published_at has changed, and none when key_of is null.
CREATE OR REPLACE FUNCTION report_document(id uuid, key_of bytea, doc_of text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE record SET doc = '', gone = true
	 WHERE dataset = 6 AND substr(key, 9) = uuid_send(id) AND NOT gone AND key IS DISTINCT FROM key_of;
	IF key_of IS NOT NULL THEN
		INSERT INTO record AS r (dataset, key, doc) VALUES (6, key_of, doc_of)
		ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false WHERE r.doc <> excluded.doc;
	END IF;
END
$$;

-- Stores a revision. r has the columns of report; indicators and names are those of the revision; an indicator that is
-- not among them gets withdrawn_at. key_of and doc_of: the row of record; null for a withdrawn report. SECURITY DEFINER:
-- surfaced_api writes records by this call alone.
CREATE OR REPLACE FUNCTION report_put(r jsonb, text_of text, indicators jsonb, names jsonb, key_of bytea, doc_of text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n report := jsonb_populate_record(NULL::report, r);
BEGIN
	INSERT INTO report SELECT n.* ON CONFLICT (uuid) DO UPDATE SET (status, revision, title, summary, publisher, url, language,
		tlp, threat_actors, malware_families, sectors, techniques, cves, countries, tags, published_at, updated_at,
		first_seen, last_seen, truncated, digest) = (SELECT n.status, n.revision, n.title, n.summary, n.publisher, n.url,
		n.language, n.tlp, n.threat_actors, n.malware_families, n.sectors, n.techniques, n.cves, n.countries, n.tags,
		n.published_at, n.updated_at, n.first_seen, n.last_seen, n.truncated, n.digest);
	DELETE FROM report_text WHERE report_uuid = n.uuid AND text IS DISTINCT FROM text_of;
	INSERT INTO report_text SELECT n.uuid, text_of WHERE text_of IS NOT NULL ON CONFLICT DO NOTHING;
	UPDATE indicator AS i SET withdrawn_at = n.updated_at WHERE i.report_uuid = n.uuid AND i.withdrawn_at IS NULL
		AND i.uuid NOT IN (SELECT g.uuid FROM jsonb_populate_recordset(NULL::indicator, indicators) AS g);
	INSERT INTO indicator AS i SELECT DISTINCT ON (g.uuid) n.uuid, g.uuid, g.type, g.value, g.disposition, g.confidence,
		g.occurrences, g.defanged, g.section, g.context, g.ignored_by, coalesce(g.labels, '{}'), g.first_seen_at,
		g.last_seen_at, g.valid_until, NULL::timestamptz
	  FROM jsonb_populate_recordset(NULL::indicator, indicators) AS g ORDER BY g.uuid, g.confidence DESC
	ON CONFLICT (report_uuid, uuid) DO UPDATE SET
		(disposition, confidence, occurrences, defanged, section, context, ignored_by, labels, first_seen_at, last_seen_at,
		valid_until, withdrawn_at) = (SELECT excluded.disposition, excluded.confidence, excluded.occurrences,
		excluded.defanged, excluded.section, excluded.context, excluded.ignored_by, excluded.labels,
		excluded.first_seen_at, excluded.last_seen_at, excluded.valid_until, NULL::timestamptz)
	WHERE (i.*) IS DISTINCT FROM (excluded.*);
	DELETE FROM report_name WHERE report_uuid = n.uuid;
	INSERT INTO report_name SELECT DISTINCT ON (g.kind, g.name) n.uuid, g.kind, g.name, g.matched_as, g.confidence
	  FROM jsonb_populate_recordset(NULL::report_name, names) AS g ORDER BY g.kind, g.name, g.confidence DESC;
	PERFORM report_document(n.uuid, key_of, doc_of);
END
$$;

-- An earlier version of a native report came later: first_seen moves, in the document at its only place outside of indicators.
CREATE OR REPLACE FUNCTION report_first_seen(id uuid, at timestamptz, said text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE report SET first_seen = at WHERE uuid = id;
	UPDATE record SET doc = regexp_replace(doc, '"first_seen":"[^"]*","last_seen"', format('"first_seen":"%s","last_seen"', said))
	 WHERE dataset = 6 AND substr(key, 9) = uuid_send(id) AND NOT gone;
END
$$;

-- Changes the members of a published report of the account that row has; doc_of is its document with them. The caller holds the
-- lock of report_withdraw. The digest stays that of the source.
CREATE OR REPLACE FUNCTION report_change(account uuid, id uuid, row_of jsonb, doc_of text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n report := jsonb_populate_record(NULL::report, row_of);
BEGIN
	UPDATE report SET (title, tlp, tags, revision, updated_at) = (SELECT n.title, n.tlp, n.tags, n.revision, n.updated_at)
	 WHERE uuid = id AND account_uuid = account AND status = 'published';
	IF FOUND THEN
		UPDATE record SET doc = doc_of WHERE dataset = 6 AND substr(key, 9) = uuid_send(id) AND NOT gone;
	END IF;
END
$$;

-- The locks under which reports are stored and changed. account null: the lock of the first lane of reports, which import_lock in
-- src/cli/import/store.c takes with the other one; it shuts everybody else out. An account shares this lock with the others and
-- has one of its own, so that no account waits for the report of another.
CREATE OR REPLACE FUNCTION report_lock(account uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF account IS NULL THEN
		PERFORM pg_advisory_xact_lock(hashtext('record'), 96);
	ELSE
		PERFORM pg_advisory_xact_lock_shared(hashtext('record'), 96);
		PERFORM pg_advisory_xact_lock(hashtext('report'), hashtext(account::text));
	END IF;
END
$$;

-- Withdraws a report of the account. False: the account has no such report.
CREATE OR REPLACE FUNCTION report_withdraw(account uuid, id uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM report_lock(account);
	UPDATE report SET status = 'withdrawn', updated_at = now()
	 WHERE uuid = id AND account_uuid = account AND status = 'published';
	IF FOUND THEN
		PERFORM report_document(id, NULL, NULL);
		RETURN true;
	END IF;
	RETURN EXISTS (SELECT FROM report WHERE uuid = id AND account_uuid = account);
END
$$;

REVOKE EXECUTE ON FUNCTION report_put, report_document, report_withdraw, report_first_seen, report_change FROM PUBLIC;
GRANT EXECUTE ON FUNCTION report_put, report_first_seen TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION report_withdraw, report_change TO surfaced_api;
REVOKE EXECUTE ON FUNCTION report_lock FROM PUBLIC;
GRANT EXECUTE ON FUNCTION report_lock TO surfaced_api, surfaced_admin;
