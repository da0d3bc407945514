-- SPDX-License-Identifier: ISC
-- Notes of secrets that imports store, from which the detector secrets (src/detect/secrets.c) makes
-- findings.
--
--   import --> secret_seen_store, capture_store --> secret_seen, capture
--                                                      | secret_look: the notes that the documents still show
--   surfaced-detect computes fingerprints   <----------+
--     | secret_judge: a row for each secret, of all its places          findings
--     | secret_store: the places, in the transaction of the findings
--
-- A place is a subject of the detector: "host 192.0.2.7", "page UUID of a capture".

-- ---- imports ----

-- Stores the id of the key with which fingerprints are made.
CREATE OR REPLACE FUNCTION secret_key_used(key_id text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO secret_key AS k (id) SELECT key_id
	 WHERE key_id IS DISTINCT FROM (SELECT id FROM secret_key ORDER BY used_at DESC LIMIT 1)
	ON CONFLICT (id) DO UPDATE SET used_at = clock_timestamp()
$$;

-- Stores notes: [{key_id, place, part, item, length, line, offset, secret_type, provider, preview, key_name, severity, valid, note,
-- seen_at}]. Of each part only the notes of its newest sighting stay.
CREATE OR REPLACE FUNCTION secret_seen_store(notes jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM secret_key_used(notes -> 0 ->> 'key_id');
	PERFORM pg_advisory_xact_lock(hashtext('secret_seen'));
	CREATE TEMPORARY TABLE IF NOT EXISTS secret_note (LIKE secret_seen) ON COMMIT DELETE ROWS;
	DELETE FROM secret_note;
	INSERT INTO secret_note SELECT DISTINCT ON (n.place, n.part, n.item) n.place, n.part, n.item, n.key_id,
		n.place || ' ' || n.part || ' ' || n.item, n.note, n.secret_type, n.provider, n.preview, n.length, n.line, n."offset",
		n.key_name, n.severity, n.valid, n.at
	  FROM (SELECT r.*, coalesce(r.seen_at, now()) AS at, max(coalesce(r.seen_at, now())) OVER (PARTITION BY r.place, r.part) AS last
		  FROM jsonb_to_recordset(notes) AS r(place text, part text, item integer, key_id text, note text, secret_type text,
			provider text, preview text, length bigint, line bigint, "offset" bigint, key_name text, severity text,
			valid boolean, seen_at timestamptz)) AS n
	 WHERE n.at = n.last
	   AND NOT EXISTS (SELECT FROM secret_seen s WHERE s.place = n.place AND s.part = n.part AND s.seen_at > n.at);
	-- An unchanged document is looked at again when it gets its first notes with this key.
	UPDATE record r SET doc = doc WHERE r.dataset = 1 AND NOT r.gone AND r.key = ANY (ARRAY(
		SELECT secret_host_key(n.place) FROM secret_note n WHERE NOT EXISTS (SELECT FROM secret_seen s
			WHERE s.place = n.place AND s.part = n.part AND s.key_id = n.key_id)));
	DELETE FROM secret_seen s USING (SELECT DISTINCT place, part, seen_at FROM secret_note) AS n
	 WHERE s.place = n.place AND s.part = n.part AND s.seen_at < n.seen_at;
	INSERT INTO secret_seen SELECT * FROM secret_note ORDER BY place, part, item
	ON CONFLICT (place, part, item) DO UPDATE SET (key_id, pad, note, secret_type, provider, preview, length, line, "offset", key_name,
		severity, valid, seen_at) = (excluded.key_id, excluded.pad, excluded.note, excluded.secret_type, excluded.provider,
		excluded.preview, excluded.length, excluded.line, excluded."offset", excluded.key_name, excluded.severity, excluded.valid,
		excluded.seen_at);
END
$$;

-- Stores captured pages of a project: [{url, hostname, status, title, body_sha256, takeover_providers, truncated, captured_at,
-- notes: [as above, without place]}]. The capture with the latest captured_at stays. It is asked for once in a batch.
CREATE OR REPLACE FUNCTION capture_store(project uuid, records jsonb)
	RETURNS TABLE (fresh bigint, known bigint, changed bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	n record;
BEGIN
	CREATE TEMPORARY TABLE IF NOT EXISTS capture_note (LIKE secret_seen) ON COMMIT DELETE ROWS;
	DELETE FROM capture_note;
	WITH given AS MATERIALIZED (
		SELECT DISTINCT ON (r.url) r.* FROM ROWS FROM (jsonb_to_recordset(records) AS (url text, hostname text, status integer,
			title text, body_sha256 text, takeover_providers jsonb, truncated boolean, captured_at timestamptz, notes jsonb))
			WITH ORDINALITY AS r
		 ORDER BY r.url, r.captured_at DESC, r.ordinality DESC),
	stored AS (
		INSERT INTO capture AS c (project_uuid, url, hostname, status, title, body_sha256, takeover_providers, truncated, captured_at)
		SELECT project, g.url, g.hostname, g.status, g.title, decode(g.body_sha256, 'hex'), ARRAY(SELECT jsonb_array_elements_text(g.takeover_providers)),
		       coalesce(g.truncated, false), g.captured_at FROM given g ORDER BY g.url
		ON CONFLICT (project_uuid, url) DO UPDATE SET (hostname, status, title, body_sha256, takeover_providers, truncated, captured_at) =
			(excluded.hostname, excluded.status, excluded.title, excluded.body_sha256, excluded.takeover_providers,
			excluded.truncated, excluded.captured_at)
		 WHERE excluded.captured_at > c.captured_at OR (excluded.captured_at = c.captured_at
		   AND (excluded.status, excluded.title, excluded.body_sha256, excluded.takeover_providers, excluded.truncated)
			IS DISTINCT FROM (c.status, c.title, c.body_sha256, c.takeover_providers, c.truncated))
		    -- the first import had no key, or another one
		    OR (excluded.captured_at = c.captured_at AND EXISTS (SELECT FROM given g, jsonb_to_recordset(g.notes) AS m(key_id text)
			 WHERE g.url = c.url AND NOT EXISTS (SELECT FROM secret_seen s WHERE s.place = 'page ' || c.uuid
				AND s.key_id = m.key_id)))
		RETURNING c.uuid, c.url, xmax = 0 AS is_new),
	noted AS (
		INSERT INTO capture_note SELECT 'page ' || s.uuid, m.part, m.item, m.key_id, m.place || ' ' || m.part || ' ' || m.item, m.note,
			m.secret_type, m.provider, m.preview, m.length, m.line, m."offset", m.key_name, m.severity, m.valid, g.captured_at
		  FROM stored s JOIN given g ON g.url = s.url, jsonb_to_recordset(coalesce(g.notes, '[]')) AS m(place text, part text,
			item integer, key_id text, note text, secret_type text, provider text, preview text, length bigint, line bigint,
			"offset" bigint, key_name text, severity text, valid boolean))
	SELECT (SELECT count(*) FROM given) AS given, count(*) FILTER (WHERE is_new) AS fresh,
	       count(*) FILTER (WHERE NOT is_new) AS changed, array_agg('page ' || uuid) AS places INTO n FROM stored;
	DELETE FROM secret_seen s WHERE s.place = ANY (n.places);
	INSERT INTO secret_seen SELECT * FROM capture_note ORDER BY place, part, item;
	PERFORM secret_key_used(key_id) FROM (SELECT key_id FROM capture_note LIMIT 1) AS k;
	RETURN QUERY SELECT n.fresh, n.given - n.fresh, n.changed;
END
$$;

-- ---- the detector ----

-- The asset that makes a document the project's: [kind, name], or null. The names of a host do not
-- count when it has the tag cdn or more than 50 apex domains. A document of a URL belongs to the host in the URL before it
-- belongs to the address.
CREATE OR REPLACE FUNCTION secret_owner(project uuid, doc jsonb) RETURNS text[] LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH full_names AS (SELECT x AS name FROM jsonb_array_elements_text(CASE jsonb_typeof(doc -> 'hostnames') WHEN 'array'
			THEN doc -> 'hostnames' ELSE jsonb_build_array(coalesce(doc ->> 'host', doc ->> 'hostname', '')) END) AS x
		 WHERE jsonb_array_length(coalesce(doc -> 'apex_domains', '[]')) <= 50 AND NOT coalesce(doc -> 'tags' ? 'cdn', false)
		 LIMIT 1000),
	names AS (SELECT array_to_string(p[i:], '.') AS name, i = 1 AS whole
		  FROM full_names, string_to_array(full_names.name, '.') AS p, generate_series(1, cardinality(p)) AS i)
	SELECT ARRAY[kind, name] FROM (
		SELECT a.kind, a.name FROM asset a WHERE a.project_uuid = project AND a.kind = 'address' AND a.name = doc ->> 'ip'
		UNION ALL
		SELECT a.kind, a.name FROM names n JOIN asset a ON a.project_uuid = project AND a.name = n.name
		   AND (a.kind = 'domain' OR (a.kind = 'host' AND n.whole))) AS o
	 ORDER BY doc ? 'hostnames' OR kind <> 'host', kind <> 'address', kind <> 'host', length(name) DESC, name LIMIT 1
$$;

-- Returns a document with the tags that rules have applied to it, as searches show it.
CREATE OR REPLACE FUNCTION secret_document(d smallint, k bytea, doc text) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM document_tag t WHERE t.dataset = d AND t.key = k) THEN record_tagged(d, k, doc) ELSE doc END::jsonb
$$;

-- The key of a host in the table record.
CREATE OR REPLACE FUNCTION secret_host_key(ip text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE family(ip::inet) WHEN 4 THEN '\x04' ELSE '\x06' END)::bytea || substring(inet_send(ip::inet) FROM 5)
$$;

-- The subjects of a project: places with notes, and open directories. names: only those of these
-- assets; empty: those of all assets, and captured pages.
CREATE OR REPLACE FUNCTION secret_subjects(project uuid, names text[]) RETURNS TABLE (subject text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT 'host ' || h.place FROM (SELECT DISTINCT place FROM secret_seen WHERE place NOT LIKE 'page %') AS h
	  JOIN record r ON r.dataset = 1 AND r.key = secret_host_key(h.place) AND NOT r.gone, secret_owner(project, secret_document(r.dataset, r.key, r.doc)) AS o
	 WHERE cardinality(names) = 0 AND o IS NOT NULL OR o[2] = ANY (names)
	UNION ALL
	SELECT 'directory ' || encode(r.key, 'hex') FROM record r, secret_owner(project, secret_document(r.dataset, r.key, r.doc)) AS o
	 WHERE r.dataset = 7 AND NOT r.gone AND (cardinality(names) = 0 AND o IS NOT NULL OR o[2] = ANY (names))
	UNION ALL
	SELECT 'page ' || c.uuid FROM capture c WHERE cardinality(names) = 0 AND c.project_uuid = project
$$;

-- The kind of a location: banner, title, body or header.
CREATE OR REPLACE FUNCTION secret_part_kind(part text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE split_part(part, '/', 3) WHEN 'banner' THEN 'banner' WHEN 'http.title' THEN 'title' WHEN 'http.body' THEN 'body'
		ELSE 'header' END
$$;

-- The notes that the documents of these subjects still show.
CREATE OR REPLACE FUNCTION secret_look(project uuid, subjects text[]) RETURNS TABLE (subject text, part text, item bigint, key_id text,
	pad text, note text, secret_type text, about jsonb, location jsonb, seen_at timestamptz) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH hosts AS MATERIALIZED (
		SELECT s AS subject, substr(s, 6) AS place, secret_document(r.dataset, r.key, r.doc) AS doc
		  FROM unnest(subjects) AS s JOIN record r ON r.dataset = 1 AND r.key = secret_host_key(substr(s, 6)) AND NOT r.gone
		 WHERE s LIKE 'host %'),
	shown AS (
		SELECT h.subject, n, o, jsonb_build_object('kind', secret_part_kind(n.part), 'ip', h.place,
			'port', (v -> 'port')::integer, 'transport', v ->> 'transport') AS location,
		       jsonb_array_length(coalesce(h.doc -> 'services', '[]')) > 50 AS suspect
		  FROM hosts h JOIN secret_seen n ON n.place = h.place, secret_owner(project, h.doc) AS o,
			jsonb_array_elements(h.doc -> 'services') AS v
		 WHERE o IS NOT NULL AND split_part(n.part, '/', 1) = v ->> 'port' AND split_part(n.part, '/', 2) = v ->> 'transport'
		   AND position(n.preview IN v #>> string_to_array(split_part(n.part, '/', 3), '.')) > 0
		UNION ALL
		SELECT s, n, secret_owner(project, jsonb_build_object('hostname', c.hostname, 'ip', c.hostname)),
		       jsonb_build_object('kind', n.part, 'url', c.url), false
		  FROM unnest(subjects) AS s JOIN secret_seen n ON n.place = s JOIN capture c ON s = 'page ' || c.uuid
		 WHERE c.project_uuid = project)
	SELECT x.subject, (x.n).part, (x.n).item::bigint, (x.n).key_id, (x.n).pad, (x.n).note, (x.n).secret_type,
	       jsonb_strip_nulls(jsonb_build_object('provider', (x.n).provider, 'preview', (x.n).preview, 'length', (x.n).length,
			'key_name', (x.n).key_name, 'severity', CASE WHEN x.suspect THEN 'info' ELSE (x.n).severity END,
			'valid', (x.n).valid, 'suspect', x.suspect, 'asset_kind', x.o[1], 'asset_name', x.o[2])),
	       jsonb_strip_nulls(x.location || jsonb_build_object('line', (x.n).line, 'offset', (x.n)."offset")), (x.n).seen_at
	  FROM shown AS x ORDER BY 1, 2, 3
$$;

-- The time at which the data of a part were last seen: those of the service, of its host when the
-- service is gone, or of the page.
CREATE OR REPLACE FUNCTION secret_part_seen(of_subject text, of_part text) RETURNS timestamptz LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN of_subject LIKE 'page %' THEN (SELECT c.captured_at FROM capture c WHERE c.uuid = substr(of_subject, 6)::uuid)
	ELSE (SELECT coalesce((SELECT (v ->> 'last_seen')::timestamptz FROM jsonb_array_elements(r.doc::jsonb -> 'services') AS v
			WHERE split_part(of_part, '/', 1) = v ->> 'port' AND split_part(of_part, '/', 2) = v ->> 'transport'),
			(r.doc::jsonb ->> 'last_seen')::timestamptz)
		FROM record r WHERE r.dataset = 1 AND r.key = secret_host_key(substr(of_subject, 6)) AND NOT r.gone) END
$$;

-- The places of all secrets that the subjects show now or showed before. seen: the present ones of
-- the subjects, [{subject, part, item, secret_type, fingerprint, about, location, seen_at}].
CREATE OR REPLACE FUNCTION secret_places(project uuid, subjects text[], seen jsonb) RETURNS SETOF secret_place LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH now_seen AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(seen) AS s(subject text, part text, item integer, secret_type text,
			fingerprint text, about jsonb, location jsonb, seen_at timestamptz)),
	wanted AS MATERIALIZED (SELECT secret_type, fingerprint FROM now_seen
		UNION SELECT p.secret_type, p.fingerprint FROM secret_place p WHERE p.project_uuid = project AND p.subject = ANY (subjects))
	-- seen now
	SELECT project, s.subject, s.part, s.item, s.secret_type, s.fingerprint, s.about, s.location,
	       least(s.seen_at, (SELECT min(p.first_seen_at) FROM secret_place p WHERE p.project_uuid = project AND p.subject = s.subject
			AND p.part = s.part AND p.fingerprint = s.fingerprint)), s.seen_at, NULL::timestamptz FROM now_seen s
	UNION ALL
	-- no more: the subject has newer data without it
	SELECT p.project_uuid, p.subject, p.part, p.item, p.secret_type, p.fingerprint, p.about, p.location, p.first_seen_at, p.last_seen_at,
	       CASE WHEN t > p.last_seen_at THEN t ELSE p.gone_at END
	  FROM secret_place p, secret_part_seen(p.subject, p.part) AS t
	 WHERE p.project_uuid = project AND p.subject = ANY (subjects) AND NOT EXISTS (SELECT FROM now_seen s WHERE s.subject = p.subject
		AND s.part = p.part AND s.fingerprint = p.fingerprint)
	UNION ALL
	-- elsewhere
	SELECT p.* FROM secret_place p JOIN wanted w USING (secret_type, fingerprint)
	 WHERE p.project_uuid = project AND p.subject <> ALL (subjects)
$$;

-- Returns a row for each secret that the subjects show or showed before. shown: at least one place
-- has the secret and was not contradicted for 24 hours.
CREATE OR REPLACE FUNCTION secret_judge(project uuid, subjects text[], seen jsonb) RETURNS TABLE (subject text, secret_type text,
	fingerprint text, shown boolean, known boolean, about jsonb, location jsonb, locations jsonb, occurrences bigint, first_seen_at timestamptz,
	last_seen_at timestamptz, gone_at timestamptz) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH places AS MATERIALIZED (SELECT p.*, coalesce(p.gone_at < p.last_seen_at + interval '24 hours', true) AS live
		  FROM secret_places(project, subjects, seen) AS p),
	ordered AS (SELECT p.*, row_number() OVER (PARTITION BY p.secret_type, p.fingerprint ORDER BY NOT p.live, p.location ->> 'kind',
			p.location ->> 'url', (p.location ->> 'ip')::inet, (p.location -> 'port')::integer,
			(p.location -> 'line')::bigint, (p.location -> 'offset')::bigint, p.subject, p.part, p.item) AS n
		  FROM places p)
	SELECT min(o.subject) FILTER (WHERE o.subject = ANY (subjects)), o.secret_type, o.fingerprint, bool_or(o.live),
	       EXISTS (SELECT FROM finding f WHERE f.project_uuid = project
			AND f.finding_key = 'secret/' || o.secret_type || '/' || o.fingerprint),
	       jsonb_object_agg('about', o.about) FILTER (WHERE o.n = 1) -> 'about' || jsonb_build_object(
			'valid', bool_or((o.about -> 'valid')::boolean),
			'suspect', bool_and((o.about -> 'suspect')::boolean) FILTER (WHERE o.live),
			'severity', (array_agg(o.about ->> 'severity' ORDER BY array_position('{critical,high,medium,low,info}'::text[],
				o.about ->> 'severity')) FILTER (WHERE o.live))[1]),
	       jsonb_agg(o.location ORDER BY o.n) FILTER (WHERE o.live AND o.n = 1) -> 0,
	       jsonb_agg(o.location ORDER BY o.n) FILTER (WHERE o.live AND o.n <= 32), count(*) FILTER (WHERE o.live),
	       min(o.first_seen_at), max(o.last_seen_at), max(o.gone_at)
	  FROM ordered o GROUP BY o.secret_type, o.fingerprint
	HAVING bool_or(o.subject = ANY (subjects)) ORDER BY 2, 3
$$;

-- Stores the places of the subjects that secret_places returns. key_id: empty when no key was
-- needed.
CREATE OR REPLACE FUNCTION secret_store(project uuid, subjects text[], seen jsonb, key_id text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	places secret_place[] := ARRAY(SELECT p FROM secret_places(project, subjects, seen) AS p WHERE p.subject = ANY (subjects)
		ORDER BY p.subject, p.part, p.item, p.fingerprint);
BEGIN
	IF key_id <> '' THEN
		PERFORM secret_key_used(key_id);
	END IF;
	DELETE FROM secret_place p WHERE p.project_uuid = project AND p.subject = ANY (subjects)
	   AND NOT EXISTS (SELECT FROM unnest(places) AS n WHERE n.subject = p.subject AND n.part = p.part AND n.item = p.item
		AND n.fingerprint = p.fingerprint);
	INSERT INTO secret_place AS p SELECT n.* FROM unnest(places) AS n
	ON CONFLICT (project_uuid, subject, part, item, fingerprint) DO UPDATE SET (about, location, first_seen_at, last_seen_at, gone_at) =
		(excluded.about, excluded.location, excluded.first_seen_at, excluded.last_seen_at, excluded.gone_at)
	 WHERE (p.about, p.location, p.first_seen_at, p.last_seen_at, p.gone_at) IS DISTINCT FROM
		(excluded.about, excluded.location, excluded.first_seen_at, excluded.last_seen_at, excluded.gone_at);
END
$$;

-- Deletes notes that the newest data of a host do not show, and places whose secret is gone, 90
-- days after they were seen. A call compares the notes of `most` hosts and pages behind `after` with
-- their documents, and returns the last of these places. Null: the pass is complete.
CREATE OR REPLACE FUNCTION secret_keep(after text, most bigint) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	until text;
	places bigint;
BEGIN
	SELECT max(p.place) INTO until FROM (SELECT DISTINCT s.place FROM secret_seen s
		WHERE s.place > after AND s.seen_at < now() - interval '90 days' ORDER BY s.place LIMIT most) AS p;
	-- PostgreSQL tests the first condition again on a row that an import or a look changes
	-- meanwhile.
	DELETE FROM secret_seen s WHERE s.seen_at < now() - interval '90 days' AND s.place > after AND s.place <= until
		AND coalesce(secret_part_seen(CASE WHEN s.place LIKE 'page %' THEN s.place ELSE 'host ' || s.place END, s.part) > s.seen_at, true);
	IF until IS NOT NULL THEN
		RETURN until;
	END IF;
	DELETE FROM secret_place WHERE gone_at < now() - interval '90 days' AND (project_uuid, subject, part, item, fingerprint) IN (
		SELECT p.project_uuid, p.subject, p.part, p.item, p.fingerprint FROM secret_place p
		 WHERE p.gone_at < now() - interval '90 days' AND p.gone_at >= p.last_seen_at + interval '24 hours' LIMIT most);
	GET DIAGNOSTICS places = ROW_COUNT;
	RETURN CASE WHEN places = most THEN after END;
END
$$;

-- Open directories of a project.
CREATE OR REPLACE FUNCTION secret_directories(project uuid, subjects text[]) RETURNS TABLE (subject text, doc text, asset_kind text,
	asset_name text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT s, r.doc, o[1], o[2] FROM unnest(subjects) AS s JOIN record r ON r.dataset = 7 AND r.key = decode(substr(s, 11), 'hex')
		AND NOT r.gone, secret_owner(project, secret_document(r.dataset, r.key, r.doc)) AS o
	 WHERE s LIKE 'directory %' AND o IS NOT NULL ORDER BY s
$$;

GRANT EXECUTE ON FUNCTION secret_key_used, secret_host_key, secret_seen_store, capture_store TO surfaced_admin;
GRANT EXECUTE ON FUNCTION secret_subjects, secret_look, secret_judge, secret_store, secret_keep, secret_directories TO surfaced_detect;
