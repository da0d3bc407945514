-- SPDX-License-Identifier: ISC
-- The audit log as a key reads it. surfaced_api has no right on the table: these functions answer the lines of the
-- key's account alone, of the projects that a limited key sees, without what others may not read (C-210, C-211).
--
-- Each function takes the key that reads and derives account and projects from it, so that no caller can combine an
-- account with the rights of another key. The database cannot tell which key has sent a request, since surfaced_api checks
-- the keys of all accounts; it relies on the worker for that.

-- The projects to which a key is limited; null: none.
CREATE OR REPLACE FUNCTION audit_sight(key uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN key_is_limited(key) IS NOT FALSE THEN ARRAY(SELECT v.uuid FROM visible_projects(key) AS v) END
$$;

-- The stored actors that a filter names: the UUID, prefix or name of a key, the UUID or name of a member (with every key of
-- theirs), or the name that an answer shows for another actor. Those without a line are left out, so that one name is mostly
-- one actor, whose page is a range of an index.
CREATE OR REPLACE FUNCTION audit_actors(account uuid, named text) RETURNS text[] LANGUAGE sql STABLE AS $$
	SELECT coalesce(array_agg(DISTINCT x.actor), '{}') FROM (
		SELECT 'key:' || k.prefix FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
		 WHERE k.account_uuid = account AND named IN (k.uuid::text, k.prefix, k.name, m.uuid::text, m.name)
		UNION ALL SELECT kind.name || ':' || kind.uuid FROM member m, LATERAL (VALUES ('member', m.uuid), ('person', m.person_uuid)) AS kind (name, uuid)
		 WHERE m.account_uuid = account AND kind.uuid IS NOT NULL AND named IN (m.uuid::text, m.name)
		UNION ALL SELECT kind || named FROM unnest('{os:,role:,""}'::text[]) AS kind) AS x (actor)
	 WHERE EXISTS (SELECT FROM audit l WHERE l.account_uuid = account AND l.actor = x.actor)
$$;

-- A changed record with its times as answers have them (C-120). A line has them as PostgreSQL prints them.
CREATE OR REPLACE FUNCTION audit_times(record jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN record IS NOT NULL THEN (SELECT coalesce(jsonb_object_agg(m.key, CASE
			WHEN m.key ~ '(^|_)(at|seen|until|modified)$'
			    AND m.value #>> '{}' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?$'
			THEN to_jsonb(to_char((m.value #>> '{}')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
			ELSE m.value END), '{}')
		FROM jsonb_each(record) AS m) END
$$;

-- The members of a changed record that an answer shows. E-mail addresses are left out (C-210), and what only the key that
-- made the record may read: the page of a session (C-100), a query, and a webhook's URL, which may contain a secret. Digests
-- mean nothing to a reader.
CREATE OR REPLACE FUNCTION audit_shown(record jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN record IS NOT NULL THEN (SELECT coalesce(jsonb_object_agg(m.key, m.value), '{}')
		FROM jsonb_each(audit_times(record - '{email,start_url,query,exclude,url}'::text[])) AS m
		WHERE m.key !~ '(^|_)(sha256|digest|hash)$') END
$$;

-- One line as it is answered. A person who acts through the console or for themselves is the member of the account.
CREATE OR REPLACE FUNCTION audit_line(a audit) RETURNS audit_answer LANGUAGE sql STABLE AS $$
	SELECT a.uuid, a.at, a.program,
		CASE WHEN m.uuid IS NOT NULL OR a.actor ~ '^(member|person):' THEN 'member' WHEN a.actor LIKE 'key:%' THEN 'key'
			WHEN a.actor LIKE 'os:%' OR a.actor = 'role:surfaced_admin' THEN 'admin'
			WHEN a.actor LIKE 'role:%' AND a.actor NOT LIKE 'role:surfaced\_%' THEN 'admin' ELSE 'program' END,
		coalesce(k.uuid, m.uuid), coalesce(k.name, m.name, CASE WHEN a.actor !~ '^(member|person):' THEN regexp_replace(a.actor, '^(os|role):', '') END),
		a.action, a.subject, a.subject_id, audit_project(a.project_uuid, a.subject, a.subject_id, a.before, a.after),
		audit_shown(a.before), audit_shown(a.after), a.request_id, a.changed::text::bigint, a.id, a.address
	  FROM (SELECT) AS one
	  LEFT JOIN api_key k ON k.account_uuid = a.account_uuid AND a.actor = 'key:' || k.prefix
	  LEFT JOIN member m ON m.account_uuid = a.account_uuid AND (a.actor = 'member:' || m.uuid OR a.actor = 'person:' || m.person_uuid)
		AND (m.removed_at IS NULL OR a.actor LIKE 'member:%')
$$;

-- A page of the lines that a key may read, behind the position (behind, behind_uuid), newest first. The filters combine by
-- AND; null: any. Each call is planned with its values, so that any one filter has its index (sql/indexes.sql; C-216).
CREATE OR REPLACE FUNCTION audit_page(reader uuid, behind timestamptz, behind_uuid uuid, want bigint, named text, is_action text,
	is_subject text, is_subject_id text, is_project uuid, since timestamptz, until timestamptz, is_request text)
	RETURNS SETOF audit_answer LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
	account uuid := (SELECT k.account_uuid FROM api_key k WHERE k.uuid = reader);
	sight uuid[] := audit_sight(reader);
	actors text[] := CASE WHEN named IS NOT NULL THEN audit_actors(account, named) END;
	is_actor text := CASE WHEN cardinality(actors) = 1 THEN actors[1] END;
BEGIN
	RETURN QUERY
	SELECT x.* FROM (SELECT l AS line FROM audit AS l
	 WHERE l.account_uuid = account
	   AND (sight IS NULL OR audit_project(l.project_uuid, l.subject, l.subject_id, l.before, l.after) = ANY (sight))
	   AND (is_actor IS NULL OR l.actor = is_actor)
	   AND (actors IS NULL OR is_actor IS NOT NULL OR l.actor = ANY (actors))
	   AND (is_action IS NULL OR l.action = is_action)
	   AND (is_subject IS NULL OR l.subject = is_subject)
	   AND (is_subject_id IS NULL OR l.subject_id = is_subject_id)
	   AND (is_project IS NULL
		OR audit_project(l.project_uuid, l.subject, l.subject_id, l.before, l.after) = is_project)
	   AND (is_request IS NULL OR l.request_id = is_request)
	   AND (since IS NULL OR l.at >= since) AND (until IS NULL OR l.at < until)
	   AND (behind IS NULL OR l.at <= behind)
	   AND (behind IS NULL OR l.at < behind OR l.uuid > behind_uuid)
	 ORDER BY l.at DESC, l.uuid LIMIT want) AS page, audit_line(page.line) AS x
	 ORDER BY x.at DESC, x.uuid;
END
$$;

-- The feed: lines behind the position (after_changed, after_id), oldest first. A transaction gets its number when it
-- first writes, and the snapshot's xmin is the oldest number whose transaction may still run. So lines of smaller
-- numbers are complete, and every later line has a number of xmin or more: none appears behind a position (C-213).
CREATE OR REPLACE FUNCTION audit_feed(reader uuid, after_changed bigint, after_id bigint, want bigint)
RETURNS SETOF audit_answer LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
	account uuid := (SELECT k.account_uuid FROM api_key k WHERE k.uuid = reader);
	sight uuid[] := audit_sight(reader);
BEGIN
	RETURN QUERY
	SELECT x.* FROM (SELECT l AS line FROM audit AS l
	 WHERE l.account_uuid = account
	   AND (sight IS NULL OR audit_project(l.project_uuid, l.subject, l.subject_id, l.before, l.after) = ANY (sight))
	   AND (l.changed, l.id) > (after_changed::text::xid8, after_id)
	   AND l.changed < pg_snapshot_xmin(pg_current_snapshot())
	 ORDER BY l.changed, l.id LIMIT want) AS page, audit_line(page.line) AS x
	 ORDER BY x.changed, x.id;
END
$$;

-- Whether the line of a position of the feed is in this database. Lines are never changed, so a line that is missing, or
-- that has another UUID or transaction, shows that the database was restored from a backup since: a backup of an earlier
-- time lacks the line, and surfacectl restore takes the transactions from the lines that it restores.
CREATE OR REPLACE FUNCTION audit_position_stands(reader uuid, after_changed bigint, after_id bigint, after_uuid uuid)
RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT EXISTS (SELECT FROM audit l WHERE l.id = after_id
		AND l.account_uuid = (SELECT k.account_uuid FROM api_key k WHERE k.uuid = reader)
		AND l.changed = after_changed::text::xid8
		AND l.uuid = after_uuid)
$$;

-- Writes a line about what a key has read, once for the key, action, subject and hour. True when it did.
CREATE OR REPLACE FUNCTION audit_note_hourly(key uuid, noted_action text, noted_subject text, noted_id text, project uuid,
	request text, from_address text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	this timestamptz := date_trunc('hour', now(), 'UTC');
BEGIN
	IF EXISTS (SELECT FROM audit_hour h WHERE h.key_uuid = key AND h.hour = this AND h.action = noted_action
	    AND h.subject_id = noted_id) THEN
		RETURN false;
	END IF;
	INSERT INTO audit_hour VALUES (key, this, noted_action, noted_id) ON CONFLICT DO NOTHING;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	DELETE FROM audit_hour WHERE ctid = ANY (ARRAY(
		SELECT h.ctid FROM audit_hour h WHERE h.key_uuid = key AND h.hour < this FOR UPDATE SKIP LOCKED));
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, project_uuid, request_id, address)
	SELECT CASE k.kind WHEN 'key' THEN 'key:' || k.prefix ELSE 'member:' || k.owner_uuid END, noted_action, noted_subject, noted_id, k.account_uuid, project, request, nullif(from_address, '')
	  FROM api_key k WHERE k.uuid = key;
	RETURN true;
END
$$;

GRANT EXECUTE ON FUNCTION audit_page, audit_feed, audit_position_stands, audit_note_hourly TO surfaced_api;
GRANT EXECUTE ON FUNCTION audit_times TO surfaced_admin;
