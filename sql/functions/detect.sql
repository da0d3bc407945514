-- SPDX-License-Identifier: ISC
-- surfaced-detect (0012-rules.sql). The program may only call these functions, and reads the table tag.
--
--   detect_mine      one process a database
--   detect_plan      rule, rule_setting, entitlement --> rule_run: who uses which rule
--   detect_runs      the rules and their runs
--   detect_changed   documents that the cursor has not seen          \
--   detect_due       work that is due                                 } the program evaluates documents in memory
--   detect_active    what was observed on these documents            /
--   detect_store     observations, their events and counts, findings, and the position: one transaction

-- Takes the lock of the one connection that evaluates, and returns whether this connection has it.
-- The lock ends with the connection.
CREATE OR REPLACE FUNCTION detect_mine() RETURNS boolean LANGUAGE sql VOLATILE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND objsubid = 2
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND classid = 1936876900 AND objid = 1)
		OR pg_try_advisory_lock(1936876900, 1)
$$;

-- Returns a document with the tags that rules have applied to it, in addition to its own. Call it
-- only for documents with a row in document_tag.
CREATE OR REPLACE FUNCTION record_tagged(d smallint, k bytea, doc text) RETURNS text LANGUAGE sql STABLE AS $$
	WITH word AS (SELECT t.slug COLLATE "C" AS slug FROM document_tag t WHERE t.dataset = d AND t.key = k
		UNION SELECT w COLLATE "C" FROM json_array_elements_text(coalesce(doc::json -> 'tags', '[]')) AS w),
	tags AS (SELECT json_agg(slug ORDER BY slug)::text AS list FROM word)
	SELECT '{' || string_agg(to_json(m.name)::text || ':' || m.value, ',' ORDER BY m.place) || '}' FROM (
		SELECT e.key AS name, CASE e.key WHEN 'tags' THEN tags.list ELSE e.value::text END AS value, e.place
		  FROM tags, json_each(doc::json) WITH ORDINALITY AS e (key, value, place)
		UNION ALL SELECT 'tags', tags.list, 10000 FROM tags WHERE doc::json -> 'tags' IS NULL) AS m
$$;

-- Whether a rule is one of the catalogue that makes findings in all projects, without a setting.
CREATE OR REPLACE FUNCTION detect_is_common(account_uuid uuid, scope text, produces json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT account_uuid IS NULL AND scope = 'surface' AND coalesce(produces ->> 'area' IS NOT NULL, false)
$$;

-- The runs that should exist, with the exclude of the account and the projects to which the run
-- applies. Null: all projects of the account.
CREATE OR REPLACE FUNCTION detect_wanted() RETURNS TABLE (rule_uuid uuid, account_uuid uuid, exclude text, projects uuid[])
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH live AS (SELECT * FROM rule r WHERE r.status IN ('testing', 'stable') AND r.deleted_at IS NULL),
	esi AS (SELECT DISTINCT e.account_uuid FROM entitlement e
		 WHERE e.name = 'esi' AND (e.expires_at IS NULL OR e.expires_at > now())
		   AND EXISTS (SELECT FROM project p WHERE p.account_uuid = e.account_uuid))
	SELECT r.uuid, NULL::uuid, '', '{}'::uuid[] FROM live r
	 WHERE r.scope = 'all' AND CASE WHEN r.account_uuid IS NULL
		THEN (r.applies_tags AND r.status = 'stable')
			OR EXISTS (SELECT FROM rule_setting s WHERE s.rule_uuid = r.uuid AND s.enabled AND s.exclude = '')
		ELSE NOT EXISTS (SELECT FROM rule_setting s WHERE s.rule_uuid = r.uuid AND s.account_uuid = r.account_uuid
			AND (NOT s.enabled OR s.exclude <> '')) END
	UNION ALL
	SELECT r.uuid, s.account_uuid, s.exclude, s.project_uuids FROM live r JOIN rule_setting s ON s.rule_uuid = r.uuid
	 WHERE r.scope = 'all' AND s.enabled AND s.exclude <> '' AND (r.account_uuid IS NULL OR r.account_uuid = s.account_uuid)
	UNION ALL
	SELECT r.uuid, s.account_uuid, s.exclude, nullif(s.project_uuids, '{}') FROM live r JOIN rule_setting s ON s.rule_uuid = r.uuid
	  LEFT JOIN esi e ON e.account_uuid = s.account_uuid AND detect_is_common(r.account_uuid, r.scope, r.produces)
	 WHERE r.scope = 'surface' AND s.enabled AND (s.project_uuids <> '{}' OR e.account_uuid IS NOT NULL)
	   AND (r.account_uuid IS NULL OR r.account_uuid = s.account_uuid)
	UNION ALL
	SELECT r.uuid, e.account_uuid, '', NULL FROM live r CROSS JOIN esi e
	 WHERE detect_is_common(r.account_uuid, r.scope, r.produces)
	   AND NOT EXISTS (SELECT FROM rule_setting s WHERE s.rule_uuid = r.uuid AND s.account_uuid = e.account_uuid)
$$;

-- A stamp of all data from which detect_plan and detect_runs are computed. Equal stamps mean that
-- probably nothing has changed. A transaction that commits late may be missing in the stamp, so
-- surfaced-detect also reads everything every few seconds.
CREATE OR REPLACE FUNCTION detect_stamp() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT concat_ws(' ', (SELECT changed FROM rule ORDER BY changed DESC LIMIT 1),
		(SELECT changed FROM rule_setting ORDER BY changed DESC LIMIT 1), (SELECT count(*) FROM rule_setting),
		(SELECT changed FROM tag ORDER BY changed DESC LIMIT 1), (SELECT count(*) FROM tag),
		(SELECT count(*) FROM project),
		(SELECT count(*) FROM entitlement WHERE name = 'esi' AND (expires_at IS NULL OR expires_at > now())),
		(SELECT sum(hashtext(row(project_uuid, enabled, exclude, min_severity)::text)) FROM detector_state
		  WHERE detector = 'rules'))
$$;

-- The account of a run, as a value that joins can compare.
CREATE OR REPLACE FUNCTION detect_whose(account uuid) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(account, '00000000-0000-0000-0000-000000000000')
$$;

-- Creates missing runs and ends those that no account needs. A new run gets a row of detect_work,
-- which asks for the evaluation of existing documents.
CREATE OR REPLACE FUNCTION detect_plan() RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n bigint;
BEGIN
	WITH begun AS (
		INSERT INTO rule_run AS n (rule_uuid, account_uuid, rule_version, state)
		SELECT w.rule_uuid, w.account_uuid, r.version, 'backfilling' FROM detect_wanted() w JOIN rule r ON r.uuid = w.rule_uuid
		 WHERE NOT EXISTS (SELECT FROM rule_run o WHERE o.rule_uuid = w.rule_uuid AND o.live
			AND detect_whose(o.account_uuid) = detect_whose(w.account_uuid))
		 ORDER BY w.rule_uuid, w.account_uuid
		ON CONFLICT (rule_uuid, account_uuid) DO UPDATE SET live = true, state = 'backfilling', error = NULL
		RETURNING n.rule_uuid)
	SELECT count(detect_ask('rule', b.rule_uuid)) INTO n FROM (SELECT DISTINCT rule_uuid FROM begun) AS b;
	-- When a rule ends, generic rules of its area are evaluated again, because they may make
	-- findings now.
	WITH wanted AS MATERIALIZED (SELECT w.rule_uuid, w.account_uuid FROM detect_wanted() w),
	ended AS (
		UPDATE rule_run n SET live = false, state = 'idle', error = NULL
		 WHERE n.live AND NOT EXISTS (SELECT FROM wanted w WHERE w.rule_uuid = n.rule_uuid
			AND detect_whose(w.account_uuid) = detect_whose(n.account_uuid))
		RETURNING n.rule_uuid)
	SELECT n + count(detect_ask('rule', g.uuid)) INTO n FROM rule g
	 WHERE g.produces ->> 'rank' = '0' AND g.status IN ('testing', 'stable') AND g.deleted_at IS NULL
	   AND EXISTS (SELECT FROM ended JOIN rule r ON r.uuid = ended.rule_uuid WHERE r.uuid <> g.uuid
		AND r.account_uuid IS NOT DISTINCT FROM g.account_uuid AND r.dataset = g.dataset
		AND r.produces ->> 'area' = g.produces ->> 'area' AND r.tags @> g.tags);
	RETURN n;
END
$$;

-- An exact stamp of the data from which the runs of a rule are computed: its row and its settings.
CREATE OR REPLACE FUNCTION detect_rule_stamp(of_rule uuid, rule_changed xid8) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT rule_changed || ' ' || count(*) || ' ' || coalesce(max(s.changed::text::bigint), 0) FROM rule_setting s
	 WHERE s.rule_uuid = of_rule
$$;

-- The rules that are evaluated, with a row for each of their runs. owner_uuid: the account of the
-- rule. account_uuid: the account of the run, or null for the run that all accounts share. finder:
-- true in a row for an account that uses the shared run and gets findings of the records of its
-- projects. whole: all projects of the account.
CREATE OR REPLACE FUNCTION detect_runs() RETURNS TABLE (rule_uuid uuid, version bigint, owner_uuid uuid, account_uuid uuid,
	stable boolean, common boolean, dataset text, surface boolean, query text, exclude text, severity text, name text,
	produces json, run_uuid uuid, own_exclude text, findings boolean, projects uuid[], whole boolean, failed boolean,
	evaluated boolean, finder boolean, stamp text, tags text[],
	applies_tags boolean)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT r.uuid, r.version::bigint, r.account_uuid, CASE WHEN f.finder THEN s.account_uuid ELSE n.account_uuid END,
	       r.status = 'stable', detect_is_common(r.account_uuid, r.scope, r.produces),
	       r.dataset, r.scope = 'surface', r.query, r.exclude, coalesce(s.severity, r.severity), r.name, r.produces, n.uuid,
	       w.exclude, coalesce(s.findings, false), coalesce(CASE WHEN f.finder THEN s.project_uuids ELSE w.projects END, '{}'),
	       w.projects IS NULL, n.state = 'failed', n.evaluated_at IS NOT NULL, f.finder,
	       CASE WHEN NOT f.finder THEN detect_rule_stamp(r.uuid, r.changed) ELSE '' END, r.tags,
	       r.applies_tags AND r.status = 'stable' AND r.account_uuid IS NULL
	  FROM detect_wanted() w JOIN rule r ON r.uuid = w.rule_uuid
	  JOIN rule_run n ON n.rule_uuid = w.rule_uuid AND detect_whose(n.account_uuid) = detect_whose(w.account_uuid) AND n.live
	  CROSS JOIN (VALUES (false), (true)) AS f (finder)
	  LEFT JOIN rule_setting s ON s.rule_uuid = r.uuid AND CASE WHEN f.finder
		THEN s.enabled AND s.findings AND s.exclude = '' AND (r.account_uuid IS NULL OR r.account_uuid = s.account_uuid)
		ELSE s.account_uuid = w.account_uuid END
	 WHERE NOT f.finder OR (w.account_uuid IS NULL AND s.project_uuids <> '{}')
	 ORDER BY r.uuid, n.uuid, f.finder, s.account_uuid
$$;

-- The projects of accounts that use rules.
CREATE OR REPLACE FUNCTION detect_projects() RETURNS TABLE (uuid uuid, account_uuid uuid) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT p.uuid, p.account_uuid FROM project p
	 WHERE EXISTS (SELECT FROM rule_run n WHERE n.account_uuid = p.account_uuid AND n.live)
	    OR EXISTS (SELECT FROM rule_setting s WHERE s.account_uuid = p.account_uuid AND s.enabled AND s.findings)
$$;

-- Stores properties of rules that the program found when it parsed them.
CREATE OR REPLACE FUNCTION detect_mark(rules uuid[], is_anchored boolean[], asks_now boolean[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE rule_run n SET anchored = m.anchored, uses_now = m.uses_now
	  FROM unnest(rules, is_anchored, asks_now) AS m (rule_uuid, anchored, uses_now)
	 WHERE n.rule_uuid = m.rule_uuid AND n.live AND (n.anchored, n.uses_now) IS DISTINCT FROM (m.anchored, m.uses_now)
$$;

-- Stores that a rule or one of its runs cannot be evaluated. It is left out until the rule or the
-- account's setting changes. A rule of the catalogue, which no account can change, is left out until
-- detect_retry.
CREATE OR REPLACE FUNCTION detect_fail(failed uuid, of_run uuid, why text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE rule_run SET state = 'failed', error = left(why, 500), failed_at = now()
	 WHERE rule_uuid = failed AND live AND (of_run IS NULL OR uuid = of_run)
$$;

-- Lets the rules of the catalogue be evaluated again that failed so many hours ago. Returns their
-- number.
CREATE OR REPLACE FUNCTION detect_retry(hours bigint) RETURNS bigint LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH again AS (UPDATE rule_run n SET state = 'idle', error = NULL FROM rule r
		 WHERE n.live AND n.state = 'failed' AND coalesce(n.failed_at, '-infinity') < now() - hours * interval '1 hour'
		   AND r.uuid = n.rule_uuid AND r.account_uuid IS NULL
		RETURNING n.rule_uuid)
	SELECT count(detect_ask('rule', a.rule_uuid)) FROM (SELECT DISTINCT rule_uuid FROM again) AS a
$$;

-- ---- new data ----

-- Documents of a dataset behind the cursor, in the order of their transactions, up to `most` rows
-- and about 8 MiB. A last row without a key ends the pass. When nothing has changed, this function
-- moves the cursor itself.
CREATE OR REPLACE FUNCTION detect_changed(d smallint, most bigint)
	RETURNS TABLE (next text, changed text, key text, doc text, gone boolean) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c detect_cursor;
	until pg_snapshot := pg_current_snapshot();
	r record;
	total bigint := 0;
BEGIN
	SELECT * INTO c FROM detect_cursor WHERE dataset = d;
	-- A cursor from the future of this database was stored by another one: a backup was
	-- restored.
	IF NOT FOUND OR pg_snapshot_xmax(c.snapshot) > pg_snapshot_xmax(until) THEN
		INSERT INTO detect_cursor (dataset, snapshot) VALUES (d, until)
		ON CONFLICT (dataset) DO UPDATE SET snapshot = until, next = NULL, after_changed = NULL, after_key = NULL, at = now();
		PERFORM detect_ask('rule', n.rule_uuid) FROM (SELECT DISTINCT n.rule_uuid FROM rule_run n
			JOIN rule r ON r.uuid = n.rule_uuid WHERE n.live AND d = CASE r.dataset WHEN 'hosts' THEN 1 WHEN 'services' THEN 1
			WHEN 'dns' THEN 3 WHEN 'whois' THEN 4 WHEN 'certificates' THEN 5 WHEN 'open_directories' THEN 7 END) AS n;
		PERFORM detector_ask_all(NULL, NULL);
		RETURN;
	END IF;
	until := coalesce(c.next, until);
	FOR r IN SELECT o.changed, o.key, CASE WHEN NOT o.gone AND EXISTS (SELECT FROM document_tag t WHERE t.dataset = d AND t.key = o.key)
			THEN record_tagged(d, o.key, o.doc) ELSE o.doc END AS doc, o.gone FROM record o
		  WHERE o.dataset = d AND o.changed >= greatest(pg_snapshot_xmin(c.snapshot), coalesce(c.after_changed, '0'))
		    AND NOT pg_visible_in_snapshot(o.changed, c.snapshot)
		    AND (c.after_changed IS NULL OR (o.changed, o.key) > (c.after_changed, c.after_key))
		  ORDER BY o.changed, o.key LIMIT most
	LOOP
		total := total + octet_length(r.doc);
		most := most - 1;
		RETURN QUERY SELECT until::text, r.changed::text, encode(r.key, 'hex'), r.doc, r.gone;
		IF total > 8388608 OR most = 0 THEN
			RETURN;
		END IF;
	END LOOP;
	IF total = 0 AND NOT FOUND AND c.next IS NULL THEN
		UPDATE detect_cursor SET snapshot = until, at = now() WHERE dataset = d AND at < now() - interval '5 s';
	ELSE
		RETURN QUERY SELECT until::text, NULL, NULL, NULL, NULL::boolean;
	END IF;
END
$$;

-- The documents of these keys. A deleted document has no row.
CREATE OR REPLACE FUNCTION detect_documents(d smallint, keys text[])
	RETURNS TABLE (key text, doc text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(r.key, 'hex'), CASE WHEN EXISTS (SELECT FROM document_tag t WHERE t.dataset = d AND t.key = r.key)
		THEN record_tagged(d, r.key, r.doc) ELSE r.doc END
	  FROM record r
	 WHERE r.dataset = d AND NOT r.gone AND r.key = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(keys) AS k))
$$;

-- Returns the key of a rule's finding, with the readable key of the record (C-823). A key that is too long ends with its hash.
CREATE OR REPLACE FUNCTION detect_finding_key(rule_uuid uuid, record_key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'rule/' || rule_uuid || '/' || CASE WHEN char_length(record_key) <= 400 THEN record_key
		ELSE left(record_key, 360) || '/' || md5(record_key) END
$$;

-- The observations of these documents, of all rules or of one. In addition to the active ones these
-- are observations that ended while their finding stayed open, because later data may close it
-- (C-129).
CREATE OR REPLACE FUNCTION detect_active(d smallint, keys text[], of_rule uuid)
	RETURNS TABLE (uuid uuid, run_uuid uuid, project_uuid uuid, record_key text, document text, rule_version bigint) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH wanted AS MATERIALIZED (SELECT o.*, n.rule_uuid FROM (
			SELECT * FROM rule_observation o WHERE o.state = 'active'
			   AND o.document_key = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(keys) AS k))
			UNION ALL
			SELECT * FROM rule_observation o WHERE o.gone_reason IN ('changed', 'removed')
			   AND o.document_key = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(keys) AS k))) AS o
		  JOIN rule_run n ON n.uuid = o.run_uuid AND n.live
		 WHERE (of_rule IS NULL OR n.rule_uuid = of_rule) AND o.dataset = ANY (CASE d WHEN 1 THEN '{1,2}' ELSE ARRAY[d] END))
	SELECT w.uuid, w.run_uuid, w.project_uuid, w.record_key, encode(w.document_key, 'hex'), w.rule_version::bigint
	  FROM wanted w
	 WHERE w.state = 'active' OR EXISTS (SELECT FROM finding f WHERE f.finding_key = detect_finding_key(w.rule_uuid, w.record_key)
		AND f.project_uuid = ANY (CASE WHEN w.project_uuid IS NOT NULL THEN ARRAY[w.project_uuid]
			ELSE ARRAY(SELECT unnest(s.project_uuids) FROM rule_setting s WHERE s.rule_uuid = w.rule_uuid AND s.findings) END)
		AND f.status IN ('open', 'acknowledged') AND f.contradicted_at IS NOT NULL)
$$;

-- The projects that have the addresses or names as assets.
CREATE OR REPLACE FUNCTION detect_owners(names text[]) RETURNS TABLE (name text, kind text, project_uuid uuid) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT a.name, a.kind, a.project_uuid FROM asset a
	 WHERE a.name = ANY (names) AND a.kind IN ('address', 'host', 'domain')
$$;

-- ---- old data ----

-- Returns a piece of work that is due. name, asset_kind: of the asset. stamp: of the rule, or null
-- when it has no runs.
CREATE OR REPLACE FUNCTION detect_due() RETURNS TABLE (id bigint, kind text, subject_uuid uuid, phase bigint, since text,
	after_changed text, after_key text, asked text, name text, asset_kind text, stamp text, tries bigint) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT w.id, w.kind, w.subject_uuid, w.phase::bigint, w.since::text, w.after_changed::text, encode(w.after_key, 'hex'),
	       w.asked::text, a.name, a.kind, CASE WHEN r.uuid IS NOT NULL THEN detect_rule_stamp(r.uuid, r.changed) END,
	       w.tries::bigint
	  FROM detect_work w LEFT JOIN asset a ON w.kind = 'asset' AND a.uuid = w.subject_uuid
	  LEFT JOIN rule r ON w.kind = 'rule' AND r.uuid = w.subject_uuid AND r.status IN ('testing', 'stable') AND r.deleted_at IS NULL
	 WHERE w.due_at <= now() ORDER BY w.phase DESC, w.due_at, w.id LIMIT 1
$$;

-- Begins a walk of the index with this snapshot. From now on the runs of the rule count as
-- evaluated with its present version.
CREATE OR REPLACE FUNCTION detect_begin(work bigint, by text, walk smallint, index_snapshot text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	w detect_work;
BEGIN
	UPDATE detect_work SET phase = walk, since = index_snapshot::pg_snapshot, after_key = NULL, after_changed = NULL
	 WHERE id = work AND asked = by::xid8 RETURNING * INTO w;
	UPDATE rule_run n SET state = 'backfilling', error = NULL, rule_version = r.version
	  FROM rule r WHERE r.uuid = w.subject_uuid AND n.rule_uuid = r.uuid AND n.live AND n.state <> 'failed';
END
$$;

-- Postpones work. For a rule, the reason is stored in the column error of its runs.
CREATE OR REPLACE FUNCTION detect_put_off(work bigint, by text, seconds bigint, why text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH late AS (UPDATE detect_work SET due_at = now() + seconds * interval '1 s', tries = tries + 1
		WHERE id = work AND asked = by::xid8 RETURNING kind, subject_uuid)
	UPDATE rule_run n SET error = left(why, 500) FROM late
	 WHERE late.kind = 'rule' AND n.rule_uuid = late.subject_uuid AND n.live AND n.state = 'backfilling'
$$;

-- Ends the work on an asset after its last attempt. The reason is stored in the state of the
-- detector "rules" of its project.
CREATE OR REPLACE FUNCTION detect_give_up(work bigint, by text, why text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH ended AS (DELETE FROM detect_work WHERE id = work AND asked = by::xid8 RETURNING subject_uuid)
	INSERT INTO detector_state AS s (project_uuid, detector, error)
	SELECT a.project_uuid, 'rules', left(a.name || ': ' || why, 500) FROM ended JOIN asset a ON a.uuid = ended.subject_uuid
	ON CONFLICT (project_uuid, detector) DO UPDATE SET error = excluded.error
$$;

-- The documents that changed since the index was written, as in detect_changed: the second phase of
-- work.
CREATE OR REPLACE FUNCTION detect_since(d smallint, work bigint, most bigint)
	RETURNS TABLE (changed text, key text, doc text, gone boolean) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT o.changed::text, encode(o.key, 'hex'), CASE WHEN NOT o.gone AND EXISTS (SELECT FROM document_tag t WHERE t.dataset = d
		AND t.key = o.key) THEN record_tagged(d, o.key, o.doc) ELSE o.doc END, o.gone
	  FROM detect_work w, record o
	 WHERE w.id = work AND o.dataset = d AND o.changed >= greatest(pg_snapshot_xmin(w.since), coalesce(w.after_changed, '0'))
	   AND NOT pg_visible_in_snapshot(o.changed, w.since)
	   AND (w.after_changed IS NULL OR (o.changed, o.key) > (w.after_changed, w.after_key))
	 ORDER BY o.changed, o.key LIMIT most
$$;

-- The documents with observations or tags of a rule: the third phase of its work.
CREATE OR REPLACE FUNCTION detect_observed(of_rule uuid, after text, most bigint) RETURNS TABLE (key text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT encode(k.key, 'hex') FROM (
		(SELECT DISTINCT o.document_key AS key
		  FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid
		 WHERE n.rule_uuid = of_rule AND n.live AND o.state = 'active'
		   AND o.document_key > decode(coalesce(after, ''), 'hex')
		 ORDER BY o.document_key LIMIT most)
		UNION
		(SELECT DISTINCT t.key FROM document_tag t WHERE t.rule_uuid = of_rule AND t.key > decode(coalesce(after, ''), 'hex')
		 ORDER BY t.key LIMIT most)
		ORDER BY 1 LIMIT most) AS k
$$;

-- ---- storing ----

-- Returns the transport of a service. Its protocol may be that of an application, but a key such as
-- 192.0.2.7/53/udp ends with the transport.
CREATE OR REPLACE FUNCTION detect_transport(protocol text, service_key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(substring(service_key FROM '/(tcp|udp|sctp)$'), substring(lower(protocol) FROM '^(tcp|udp|sctp)$'), 'tcp')
$$;

-- Adds the changes of this transaction to the counts of runs and of today.
CREATE OR REPLACE FUNCTION detect_count() RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH moves AS (SELECT run_uuid, count(*) FILTER (WHERE event <> 'gone') AS up, count(*) FILTER (WHERE event = 'gone') AS down
		  FROM observation_event WHERE changed = pg_current_xact_id() GROUP BY 1),
	counted AS (UPDATE rule_run n SET active_count = n.active_count + m.up - m.down FROM moves m WHERE n.uuid = m.run_uuid
		RETURNING n.uuid, n.active_count, m.up, m.down)
	INSERT INTO rule_activity AS a (run_uuid, day, active, appeared, gone)
	SELECT uuid, (now() AT TIME ZONE 'UTC')::date, active_count, up, down FROM counted
	ON CONFLICT (run_uuid, day) DO UPDATE SET active = excluded.active, appeared = a.appeared + excluded.appeared,
		gone = a.gone + excluded.gone
$$;

-- Whether the detector "rules" is enabled in a project. Otherwise findings are neither opened nor
-- closed.
CREATE OR REPLACE FUNCTION detect_rules_enabled(project uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT NOT EXISTS (SELECT FROM detector_state s WHERE s.project_uuid = project AND s.detector = 'rules' AND NOT s.enabled)
$$;

-- Ends observations. ended: [{uuid, why, at}]; at: the time of the data. For the reasons changed
-- and removed the finding is contradicted, even if the observation had ended before.
CREATE OR REPLACE FUNCTION detect_end(ended jsonb) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	f record;
BEGIN
	FOR f IN
		WITH x AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(ended) AS x(uuid uuid, why text, at timestamptz)),
		moved AS (UPDATE rule_observation o SET state = 'gone', gone_reason = x.why, gone_at = now(), updated_at = now()
			  FROM x WHERE o.uuid = x.uuid AND o.state = 'active'
			RETURNING o.uuid, o.run_uuid),
		told AS (INSERT INTO observation_event (run_uuid, observation_uuid, event)
			SELECT run_uuid, uuid, 'gone' FROM moved ORDER BY uuid),
		lacking AS (SELECT n.rule_uuid, n.account_uuid, r.scope, m.project_uuid, m.record_key, x.at
			  FROM x JOIN rule_observation m ON m.uuid = x.uuid JOIN rule_run n ON n.uuid = m.run_uuid
			  JOIN rule r ON r.uuid = n.rule_uuid
			 WHERE x.why IN ('changed', 'removed') AND r.status = 'stable')
		SELECT p.project, jsonb_agg(jsonb_build_object('finding_key', p.finding_key, 'absent', true, 'last_seen_at', p.at)
			ORDER BY p.finding_key) AS records
		  FROM (SELECT l.project_uuid AS project, detect_finding_key(l.rule_uuid, l.record_key) AS finding_key, l.at
			  FROM lacking l WHERE l.project_uuid IS NOT NULL
			UNION
			SELECT u.project, detect_finding_key(l.rule_uuid, l.record_key), l.at
			  FROM lacking l JOIN rule_setting s ON s.rule_uuid = l.rule_uuid AND s.findings
				AND coalesce(l.account_uuid, s.account_uuid) = s.account_uuid, unnest(s.project_uuids) AS u(project)
			 WHERE l.project_uuid IS NULL) AS p
		 WHERE detect_rules_enabled(p.project)
		 GROUP BY 1 ORDER BY 1
	LOOP
		PERFORM finding_store(f.project, 'rules', f.records);
	END LOOP;
	-- The program may have stored a finding while the account turned the rule off.
	PERFORM detect_hide_rule(o.rule_uuid, o.account_uuid) FROM (SELECT DISTINCT s.rule_uuid, s.account_uuid
		  FROM jsonb_to_recordset(ended) AS x(uuid uuid, why text)
		  JOIN rule_observation m ON m.uuid = x.uuid JOIN rule_run n ON n.uuid = m.run_uuid
		  JOIN rule_setting s ON s.rule_uuid = n.rule_uuid AND s.account_uuid = coalesce(n.account_uuid, s.account_uuid) AND NOT s.enabled
		 WHERE x.why = 'rule_ended') AS o;
END
$$;

-- Stores observations that appear, return or are seen again. A run has at most `most` active
-- observations, a run of scope surface in each project. Observations with "kept" are stored beyond
-- that limit, because a finding depends on them: only the end of the observation closes it. Of these
-- there are at most most_finds in a project, and most_kept in a run that accounts share.
CREATE OR REPLACE FUNCTION detect_observe(given jsonb, most bigint, most_finds bigint, most_kept bigint) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH g AS MATERIALIZED (SELECT DISTINCT ON (g.run, g.project, g.key) g.*, decode(g.document, 'hex') AS document_key, n.active_count
		  FROM jsonb_to_recordset(given) AS g(run uuid, project uuid, dataset smallint, document text, key text, version integer,
			record jsonb, matched jsonb, suspect boolean, kept boolean, first timestamptz, last timestamptz)
		  JOIN rule_run n ON n.uuid = g.run AND n.live ORDER BY g.run, g.project, g.key),
	prior AS MATERIALIZED (SELECT o.uuid, o.state, g.run, g.project, g.key FROM g
		  JOIN rule_observation o ON o.run_uuid = g.run AND o.record_key = g.key AND o.project_uuid IS NOT DISTINCT FROM g.project),
	fresh AS MATERIALIZED (SELECT g.run, g.project, g.key, g.kept, g.active_count,
			row_number() OVER (PARTITION BY g.run, g.project ORDER BY NOT g.kept, g.key) AS nth
		  FROM g WHERE NOT EXISTS (SELECT FROM prior p WHERE p.state = 'active' AND p.run = g.run AND p.key = g.key
			AND p.project IS NOT DISTINCT FROM g.project)),
	-- A run knows the number of its active observations. Those of one of its projects are counted when they may be too many.
	full_ AS MATERIALIZED (SELECT f.run, f.project, most - f.active AS room,
			CASE WHEN f.project IS NULL THEN most_kept ELSE most_finds END - f.active AS room_kept
		  FROM (SELECT n.run, n.project, CASE WHEN n.project IS NULL OR count(*) + n.active_count <= most THEN n.active_count
				ELSE (SELECT count(*) FROM rule_observation o WHERE o.run_uuid = n.run AND o.state = 'active'
					AND o.project_uuid = n.project) END AS active
			  FROM fresh n GROUP BY n.run, n.project, n.active_count) AS f),
	saturated AS (UPDATE rule_run n SET state = 'saturated' FROM (SELECT DISTINCT f.run FROM fresh f JOIN full_ u ON u.run = f.run
			AND u.project IS NOT DISTINCT FROM f.project
			WHERE f.nth > CASE WHEN f.kept THEN u.room_kept ELSE u.room END) AS f
		 WHERE n.uuid = f.run AND n.state NOT IN ('saturated', 'failed')),
	written AS (
		INSERT INTO rule_observation AS o (run_uuid, project_uuid, dataset, document_key, record_key, rule_version, record, matched,
			suspect, first_seen_at, last_seen_at)
		SELECT g.run, g.project, g.dataset, g.document_key, g.key, g.version, g.record, g.matched, g.suspect,
		       least(g.first, g.last), g.last
		  FROM g LEFT JOIN fresh f ON f.run = g.run AND f.key = g.key AND f.project IS NOT DISTINCT FROM g.project
		  LEFT JOIN full_ u ON u.run = g.run AND u.project IS NOT DISTINCT FROM g.project
		 WHERE f.nth IS NULL OR f.nth <= u.room OR (g.kept AND f.nth <= u.room_kept)
		 ORDER BY g.run, g.key, g.project
		ON CONFLICT ON CONSTRAINT rule_observation_of DO UPDATE SET state = 'active', gone_reason = NULL, gone_at = NULL,
			returns = o.returns + CASE o.state WHEN 'gone' THEN 1 ELSE 0 END, document_key = excluded.document_key,
			rule_version = excluded.rule_version, record = excluded.record, matched = excluded.matched,
			suspect = excluded.suspect, first_seen_at = least(o.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at), updated_at = now()
		WHERE o.state = 'gone' OR (o.document_key, o.rule_version, o.record, o.matched, o.suspect)
			IS DISTINCT FROM (excluded.document_key, excluded.rule_version, excluded.record, excluded.matched, excluded.suspect)
		   OR o.first_seen_at > excluded.first_seen_at OR o.last_seen_at < excluded.last_seen_at
		RETURNING o.uuid, o.run_uuid)
	INSERT INTO observation_event (run_uuid, observation_uuid, event)
	SELECT w.run_uuid, w.uuid, CASE WHEN p.uuid IS NULL THEN 'appeared' ELSE 'returned' END
	  FROM written w LEFT JOIN prior p ON p.uuid = w.uuid WHERE p.state IS DISTINCT FROM 'active' ORDER BY w.uuid
$$;

-- Marks documents whose tags have changed as changed, for all programs that follow the table
-- record.
CREATE OR REPLACE FUNCTION detect_touch(d smallint, keys bytea[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	WITH held AS MATERIALIZED (SELECT r.key FROM record r WHERE r.dataset = d AND r.key = ANY (keys) AND NOT r.gone ORDER BY r.key FOR NO KEY UPDATE)
	UPDATE record r SET gone = false FROM held WHERE r.dataset = d AND r.key = held.key
$$;

-- The tags of rules that were asked about documents: they are on those that match, and on no other one.
--   given   {"dataset", "rules": [uuid], "keys": [document], "hits": [{"rule", "key"}]}
CREATE OR REPLACE FUNCTION detect_tag(given jsonb, most bigint) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	d smallint := given ->> 'dataset';
	asked uuid[] := ARRAY(SELECT jsonb_array_elements_text(given -> 'rules')::uuid);
	keys bytea[] := ARRAY(SELECT decode(jsonb_array_elements_text(given -> 'keys'), 'hex'));
	touched bytea[];
	grown uuid[];
	of_rule uuid;
BEGIN
	-- The tags of a rule are counted once; after that the number follows each change.
	INSERT INTO document_tags (rule_uuid, n)
	SELECT a, (SELECT count(*) FROM document_tag t WHERE t.rule_uuid = a) FROM unnest(asked) AS a
	 WHERE NOT EXISTS (SELECT FROM document_tags s WHERE s.rule_uuid = a);
	WITH hit AS MATERIALIZED (
		SELECT DISTINCT decode(h.key, 'hex') AS key, h.rule, w.slug FROM jsonb_to_recordset(given -> 'hits') AS h(rule uuid, key text)
		  JOIN rule r ON r.uuid = h.rule AND r.applies_tags AND r.status = 'stable' AND r.deleted_at IS NULL,
		  unnest(r.tags) AS w(slug)),
	ended AS (DELETE FROM document_tag t WHERE t.dataset = d AND t.key = ANY (keys) AND t.rule_uuid = ANY (asked)
			AND NOT EXISTS (SELECT FROM hit h WHERE h.key = t.key AND h.rule = t.rule_uuid AND h.slug = t.slug)
		RETURNING t.key, t.rule_uuid),
	fresh AS (INSERT INTO document_tag AS n (dataset, key, slug, rule_uuid) SELECT d, h.key, h.slug, h.rule FROM hit h
		ORDER BY h.key, h.slug, h.rule ON CONFLICT DO NOTHING RETURNING n.key, n.slug, n.rule_uuid),
	named AS (INSERT INTO tag (slug, name) SELECT DISTINCT f.slug, f.slug FROM fresh f ON CONFLICT DO NOTHING),
	counted AS (UPDATE document_tags s SET n = s.n + m.up - m.down FROM (SELECT c.rule_uuid, sum(c.up) AS up, sum(c.down) AS down
			FROM (SELECT rule_uuid, 1 AS up, 0 AS down FROM fresh UNION ALL SELECT rule_uuid, 0, 1 FROM ended) AS c GROUP BY 1) AS m
		 WHERE s.rule_uuid = m.rule_uuid RETURNING s.rule_uuid, s.n, m.up)
	SELECT (SELECT array_agg(DISTINCT c.key) FROM (SELECT key FROM ended UNION ALL SELECT key FROM fresh) AS c),
	       (SELECT array_agg(c.rule_uuid) FROM counted c WHERE c.up > 0 AND c.n > most) INTO touched, grown;
	IF touched IS NULL THEN
		RETURN;
	END IF;
	PERFORM detect_touch(d, touched);
	FOREACH of_rule IN ARRAY coalesce(grown, '{}') LOOP
		PERFORM detect_fail(of_rule, NULL, format('it applies more than %s tags to documents', most));
	END LOOP;
END
$$;

-- Removes tags of rules that no longer apply tags. Returns their number.
CREATE OR REPLACE FUNCTION detect_untag(most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n bigint := 0;
	t record;
BEGIN
	FOR t IN WITH ended AS (
			DELETE FROM document_tag o USING (SELECT x.dataset, x.key, x.slug, x.rule_uuid FROM rule r
				JOIN document_tag x ON x.rule_uuid = r.uuid
				WHERE NOT (r.applies_tags AND r.status = 'stable' AND r.deleted_at IS NULL) LIMIT most) AS x
			 WHERE (o.dataset, o.key, o.slug, o.rule_uuid) = (x.dataset, x.key, x.slug, x.rule_uuid)
			RETURNING o.dataset, o.key, o.rule_uuid),
		counted AS (UPDATE document_tags s SET n = s.n - e.n FROM (SELECT rule_uuid, count(*) AS n FROM ended GROUP BY 1) AS e
			WHERE s.rule_uuid = e.rule_uuid)
		SELECT dataset, array_agg(DISTINCT key) AS keys, count(*) AS rows FROM ended GROUP BY 1 ORDER BY 1
	LOOP
		PERFORM detect_touch(t.dataset, t.keys);
		n := n + t.rows;
	END LOOP;
	RETURN n;
END
$$;

-- Returns the records of findings of rules that a project can take: it has at most `most` findings of
-- rules that are not resolved, and new ones beyond that are left out. A new finding whose observation
-- was not stored is left out too, because nothing would close it. The state of the detector "rules"
-- has a message until new findings come and none is left out.
CREATE OR REPLACE FUNCTION detect_bounded(project uuid, records jsonb, most bigint) RETURNS jsonb LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	why text := 'A rule has as many observations as it may, so new findings of it are left out.';
	fresh text[] := ARRAY(SELECT DISTINCT r ->> 'finding_key' FROM jsonb_array_elements(records) AS r
		WHERE NOT coalesce((r -> 'hidden')::boolean, false) AND NOT EXISTS (SELECT FROM finding f
			WHERE f.project_uuid = project AND f.finding_key = r ->> 'finding_key') ORDER BY 1);
	owner uuid := (SELECT p.account_uuid FROM project p WHERE p.uuid = project);
	left_out text[];
	beyond text[];
BEGIN
	IF fresh = '{}' THEN
		RETURN records;
	END IF;
	left_out := ARRAY(SELECT DISTINCT r ->> 'finding_key' FROM jsonb_array_elements(records) AS r
		 WHERE r ->> 'finding_key' = ANY (fresh) AND NOT EXISTS (SELECT FROM rule_run n JOIN rule_observation o ON o.run_uuid = n.uuid
			WHERE n.rule_uuid = (r ->> 'rule')::uuid AND (n.account_uuid IS NULL OR n.account_uuid = owner) AND o.record_key = r ->> 'key' AND o.state = 'active'
			  AND coalesce(o.project_uuid, project) = project));
	fresh := ARRAY(SELECT f FROM unnest(fresh) AS f WHERE f <> ALL (left_out) ORDER BY 1);
	beyond := fresh[greatest(most - detector_unresolved('rules', project), 0) + 1:];
	left_out := left_out || beyond;
	IF beyond <> '{}' THEN
		why := format('The project has %s findings of rules that are not resolved, so new ones are left out.', most);
	END IF;
	IF left_out <> '{}' THEN
		INSERT INTO detector_state AS s (project_uuid, detector, error, is_full, looked_at)
		VALUES (project, 'rules', why, true, jsonb_build_object('left_out', cardinality(left_out)))
		ON CONFLICT (project_uuid, detector) DO UPDATE SET error = why, is_full = true, looked_at = s.looked_at || jsonb_build_object('left_out',
			coalesce((s.looked_at ->> 'left_out')::bigint, 0) + cardinality(left_out));
	ELSE
		UPDATE detector_state s SET error = NULL, is_full = false WHERE s.project_uuid = project AND s.detector = 'rules' AND s.is_full;
	END IF;
	RETURN (SELECT coalesce(jsonb_agg(r ORDER BY r ->> 'finding_key'), '[]') FROM jsonb_array_elements(records) AS r
		WHERE r ->> 'finding_key' <> ALL (left_out));
END
$$;

-- Stores what a batch of documents has shown.
--   place      {"dataset", "next", "changed", "key", "complete"} of the cursor, or {"work", "asked", "phase", "changed", "key"};
--              phase 4: the work is done
--   given      [{run, project, dataset, document, key, version, record, matched, suspect, kept, first, last}]
--   ended      [{uuid, why, at}]
--   findings   [{project, rule, key, port, transport, asset_kind, asset_name, ...}], the members of finding_in beside these
--   work       [{detector, project, subject, due}]: what detectors must look at again (detector_ask)
--   tagging    what detect_tag takes; null: no rule was asked that applies tags
CREATE OR REPLACE FUNCTION detect_store(place jsonb, given jsonb, ended jsonb, findings jsonb, work jsonb, tagging jsonb, most bigint,
	most_finds bigint, most_kept bigint, most_tagged bigint) RETURNS void
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	f record;
BEGIN
	IF given <> '[]' THEN
		PERFORM detect_observe(given, most, most_finds, most_kept);
	END IF;
	IF ended <> '[]' THEN
		PERFORM detect_end(ended);
	END IF;
	IF given <> '[]' OR ended <> '[]' THEN
		PERFORM detect_count();
	END IF;
	FOR f IN SELECT g.project, jsonb_agg(g.finding ORDER BY g.finding ->> 'finding_key') AS records FROM (
			SELECT (x ->> 'project')::uuid AS project, x - '{project,port,transport}'::text[]
				|| jsonb_build_object('finding_key', detect_finding_key((x ->> 'rule')::uuid, x ->> 'key'),
					'service_key', (SELECT s.service_key FROM asset a JOIN asset_service s ON s.asset_uuid = a.uuid
						WHERE a.project_uuid = (x ->> 'project')::uuid AND a.kind = x ->> 'asset_kind'
						  AND a.name = x ->> 'asset_name' AND s.port = (x ->> 'port')::integer
						  AND detect_transport(s.protocol, s.service_key) = x ->> 'transport'
						ORDER BY s.service_key <> x ->> 'key', s.service_key LIMIT 1)) AS finding
			  FROM jsonb_array_elements(findings) AS x) AS g
		 WHERE detect_rules_enabled(g.project) GROUP BY 1 ORDER BY 1
	LOOP
		f.records := detect_bounded(f.project, f.records, most_finds);
		PERFORM finding_store(f.project, 'rules', jsonb_path_query_array(f.records, '$[*] ? (!(@.hidden == true))'));
		PERFORM detector_hide(f.project, ARRAY(SELECT r ->> 'finding_key' FROM jsonb_array_elements(f.records) AS r
			WHERE (r -> 'hidden')::boolean));
	END LOOP;
	IF work <> '[]' THEN
		PERFORM detector_ask(work);
	END IF;
	IF tagging <> 'null' THEN
		PERFORM detect_tag(tagging, most_tagged);
	END IF;
	IF place ? 'dataset' THEN
		UPDATE detect_cursor SET at = now(),
			snapshot = CASE WHEN p.complete THEN p.next::pg_snapshot ELSE snapshot END,
			next = CASE WHEN NOT p.complete THEN p.next::pg_snapshot END,
			after_changed = CASE WHEN NOT p.complete THEN p.changed::xid8 END,
			after_key = CASE WHEN NOT p.complete THEN decode(p.key, 'hex') END
		  FROM jsonb_to_record(place) AS p(dataset smallint, next text, changed text, key text, complete boolean)
		 WHERE detect_cursor.dataset = p.dataset;
	ELSIF (place ->> 'phase')::integer = 4 THEN
		PERFORM detect_done((place ->> 'work')::bigint, place ->> 'asked');
	ELSE
		UPDATE detect_work w SET phase = p.phase, tries = 0, after_changed = p.changed::xid8, after_key = decode(p.key, 'hex')
		  FROM jsonb_to_record(place) AS p(work bigint, asked text, phase smallint, changed text, key text)
		 WHERE w.id = p.work AND w.asked = p.asked::xid8;
	END IF;
END
$$;

-- Ends a piece of work. A rule whose query depends on the time is evaluated again in an hour.
CREATE OR REPLACE FUNCTION detect_done(work bigint, by text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	w detect_work;
BEGIN
	SELECT * INTO w FROM detect_work WHERE id = work AND asked = by::xid8 FOR UPDATE;
	IF w.kind = 'rule' THEN
		UPDATE rule_run SET state = CASE state WHEN 'backfilling' THEN 'current' ELSE state END, evaluated_at = now(),
			error = CASE state WHEN 'failed' THEN error END
		 WHERE rule_uuid = w.subject_uuid AND live;
	END IF;
	IF w.again THEN
		PERFORM detect_ask(w.kind, w.subject_uuid);
	ELSIF w.kind = 'rule' AND EXISTS (SELECT FROM rule_run WHERE rule_uuid = w.subject_uuid AND live AND uses_now) THEN
		UPDATE detect_work SET phase = 0, since = NULL, after_key = NULL, after_changed = NULL, tries = 0,
			due_at = now() + interval '1 hour' WHERE id = w.id;
	ELSE
		DELETE FROM detect_work WHERE id = w.id;
	END IF;
END
$$;

-- ---- keeping ----

-- Ends observations of runs that no account needs any more, and of hosts and services that were not
-- seen for 30 days, and deletes old rows. Returns the largest number of rows of one kind.
CREATE OR REPLACE FUNCTION detect_keep(most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	ended jsonb;
	events bigint;
	observations bigint;
BEGIN
	SELECT coalesce(jsonb_agg(x), '[]') INTO ended FROM (
		(SELECT o.uuid, 'rule_ended' AS why, now() AS at FROM rule_run n JOIN rule_observation o ON o.run_uuid = n.uuid
		  WHERE NOT n.live AND n.active_count > 0 AND o.state = 'active' LIMIT most)
		UNION ALL
		(SELECT o.uuid, 'stale', now() FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid AND n.live
		  WHERE o.state = 'active' AND o.dataset IN (1, 2) AND o.last_seen_at < now() - interval '30 days' LIMIT most)) AS x;
	IF ended <> '[]' THEN
		PERFORM detect_end(ended);
		PERFORM detect_count();
	END IF;
	DELETE FROM observation_event WHERE id = ANY (ARRAY(SELECT e.id FROM observation_event e
		WHERE e.at < now() - interval '90 days' LIMIT most));
	GET DIAGNOSTICS events = ROW_COUNT;
	DELETE FROM rule_observation WHERE uuid = ANY (ARRAY(SELECT o.uuid FROM rule_observation o
		WHERE o.state = 'gone' AND o.gone_at < now() - interval '400 days' LIMIT most));
	GET DIAGNOSTICS observations = ROW_COUNT;
	RETURN greatest(jsonb_array_length(ended), events, observations);
END
$$;

GRANT EXECUTE ON FUNCTION detect_mine, detect_plan, detect_stamp, detect_runs, detect_projects, detect_mark, detect_fail, detect_retry, detect_changed, detect_documents,
	detect_active, detect_owners, detect_due, detect_begin, detect_put_off, detect_give_up, detect_since, detect_observed, detect_store,
	detect_keep, detect_untag TO surfaced_detect;
GRANT EXECUTE ON FUNCTION record_tagged TO surfaced_api, surfaced_index, surfaced_admin;
