-- SPDX-License-Identifier: ISC
-- Exports of search results (0006-exports.sql, C-413). surfaced-export may only call the functions below; each checks the epoch of
-- its claim, so that a process which lost its lease changes nothing.

-- The number of a month in the tables of quotas.
CREATE OR REPLACE FUNCTION export_month_now() RETURNS integer LANGUAGE sql STABLE AS $$
	SELECT (extract(year FROM now() AT TIME ZONE 'UTC') * 12 + extract(month FROM now() AT TIME ZONE 'UTC') - 1)::integer
$$;

-- outcome: created; repeated, with the uuid of the first export; conflict: the Idempotency-Key was used for another
-- request; limit: the key has `most` exports that are not finished; quota: the account's records of this month are used up.
CREATE OR REPLACE FUNCTION export_create(w export_wanted, space bytea, request bytea, most bigint,
	OUT outcome text, OUT uuid uuid) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	account uuid := (SELECT k.account_uuid FROM api_key k WHERE k.uuid = w.key_uuid);
	this_month integer := export_month_now();
	used bigint;
	quota bigint := (SELECT coalesce(a.export_records, d.export_records) FROM account a, meter_default d
		WHERE a.uuid = account);
	earlier search_export;
BEGIN
	INSERT INTO export_month (account_uuid, month) VALUES (account, this_month) ON CONFLICT DO NOTHING;
	SELECT m.charged INTO used FROM export_month m
	 WHERE m.account_uuid = account AND m.month = this_month FOR UPDATE;
	SELECT e.* INTO earlier FROM search_export e WHERE e.idempotency_space = space;
	uuid := coalesce(earlier.uuid, w.uuid);
	IF earlier.uuid IS NOT NULL THEN
		outcome := CASE WHEN earlier.idempotency_request = request THEN 'repeated' ELSE 'conflict' END;
	ELSIF (SELECT count(*) FROM search_export e WHERE e.key_uuid = w.key_uuid AND e.state IN ('queued', 'running')) >= most THEN
		outcome := 'limit';
	ELSIF used + w.total > quota THEN
		outcome := 'quota';
	ELSE
		outcome := 'created';
		UPDATE export_month m SET charged = m.charged + w.total
		 WHERE m.account_uuid = account AND m.month = this_month;
		INSERT INTO search_export (uuid, account_uuid, key_uuid, dataset, query, fields, format, compression, scope,
			entitlement, total, month, charged, idempotency_space, idempotency_request)
		VALUES (w.uuid, account, w.key_uuid, w.dataset, w.query, w.fields, w.format, w.compression, w.scope,
			w.entitlement, w.total, this_month, w.total, space, CASE WHEN space IS NOT NULL THEN request END);
	END IF;
END
$$;

-- Ends exports that are neither complete nor ended, and returns their records to the quota. Rows are locked in the order
-- that all functions of this file keep, so that no two of them wait for one another: exports by uuid, then months by
-- account and number.
CREATE OR REPLACE FUNCTION export_end(exports uuid[], new_state text, reason text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	ended uuid[] := ARRAY(SELECT e.uuid FROM search_export e
		WHERE e.uuid = ANY (exports) AND e.state IN ('queued', 'running') ORDER BY e.uuid FOR UPDATE);
BEGIN
	PERFORM FROM export_month m
	  WHERE (m.account_uuid, m.month) IN (SELECT e.account_uuid, e.month FROM search_export e WHERE e.uuid = ANY (ended))
	  ORDER BY m.account_uuid, m.month FOR UPDATE;
	UPDATE export_month m SET charged = m.charged - n.charged
	  FROM (SELECT e.account_uuid, e.month, sum(e.charged) AS charged FROM search_export e
		 WHERE e.uuid = ANY (ended) GROUP BY 1, 2) AS n
	 WHERE m.account_uuid = n.account_uuid AND m.month = n.month;
	UPDATE search_export e SET state = new_state, error = reason, finished_at = clock_timestamp(), lease_until = NULL,
		charged = 0
	 WHERE e.uuid = ANY (ended);
END
$$;

-- Cancels an export of a key, or of any key when caller is null. A complete export keeps its charge.
CREATE OR REPLACE FUNCTION export_cancel(export uuid, caller uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	was text;
BEGIN
	SELECT e.state INTO was FROM search_export e
	 WHERE e.uuid = export AND (caller IS NULL OR e.key_uuid = caller) FOR UPDATE;
	IF was IN ('queued', 'running') THEN
		PERFORM export_end(ARRAY[export], 'cancelled', NULL);
	ELSIF was = 'complete' THEN
		UPDATE search_export e SET state = 'cancelled' WHERE e.uuid = export;
	END IF;
END
$$;

-- Claims the next export: one that is queued, or whose holder's lease has ended. Accounts with fewer running exports
-- come first, so that one account cannot keep the others waiting.
CREATE OR REPLACE FUNCTION export_claim(lease_ms bigint) RETURNS SETOF search_export LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	found uuid;
BEGIN
	SELECT e.uuid INTO found FROM search_export e
	 WHERE e.state IN ('queued', 'running') AND coalesce(e.lease_until < clock_timestamp(), true)
	 ORDER BY (SELECT count(*) FROM search_export o WHERE o.account_uuid = e.account_uuid AND o.state = 'running'
			AND o.lease_until >= clock_timestamp()), e.created_at, e.uuid
	 LIMIT 1 FOR UPDATE SKIP LOCKED;
	RETURN QUERY UPDATE search_export e SET state = 'running',
		lease_until = clock_timestamp() + make_interval(secs => lease_ms / 1000.0),
		started_at = coalesce(e.started_at, clock_timestamp())
	 WHERE e.uuid = found RETURNING e.*;
END
$$;

-- Stores what is safely in the file, and renews the lease. Returns the state of the export: the caller goes on when it
-- is running. lost: another process has claimed it. An export whose key has lost the right is cancelled here.
CREATE OR REPLACE FUNCTION export_progress(export uuid, claim bigint, lease_ms bigint, p_generation bigint, p_total bigint,
	p_written bigint, p_gone bigint, p_bytes bigint, p_position bytea) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	e search_export;
BEGIN
	SELECT * INTO e FROM search_export s WHERE s.uuid = export FOR UPDATE;
	IF NOT FOUND OR e.epoch <> claim THEN
		RETURN 'lost';
	ELSIF e.state <> 'running' THEN
		RETURN e.state;
	ELSIF NOT (SELECT r.may FROM export_right r WHERE r.uuid = export) THEN
		PERFORM export_end(ARRAY[export], 'cancelled', 'access_revoked');
		RETURN 'cancelled';
	END IF;
	UPDATE search_export s SET lease_until = clock_timestamp() + make_interval(secs => lease_ms / 1000.0),
		generation = p_generation, total = p_total, written = p_written, gone = p_gone, bytes = p_bytes,
		position = p_position, attempts = CASE WHEN p_bytes > s.bytes THEN 0 ELSE s.attempts END
	 WHERE s.uuid = export;
	RETURN 'running';
END
$$;

-- The whole file is in its place. The export then costs the records that it has, but never more than were taken from the
-- quota when it was created: records that matched later are free.
CREATE OR REPLACE FUNCTION export_complete(export uuid, claim bigint, p_written bigint, p_gone bigint, p_bytes bigint,
	p_sha256 bytea, days bigint) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	e search_export;
BEGIN
	SELECT * INTO e FROM search_export s WHERE s.uuid = export FOR UPDATE;
	IF NOT FOUND OR e.epoch <> claim THEN
		RETURN 'lost';
	ELSIF e.state <> 'running' THEN
		RETURN e.state;
	END IF;
	UPDATE search_export s SET state = 'complete', written = p_written, gone = p_gone, bytes = p_bytes,
		sha256 = p_sha256, finished_at = clock_timestamp(), lease_until = NULL,
		expires_at = clock_timestamp() + make_interval(days => days::integer), charged = least(e.charged, p_written)
	 WHERE s.uuid = export;
	UPDATE export_month m SET charged = m.charged - e.charged + least(e.charged, p_written)
	 WHERE m.account_uuid = e.account_uuid AND m.month = e.month;
	RETURN 'complete';
END
$$;

-- Ends an export with a reason. Nothing happens when another process has it.
CREATE OR REPLACE FUNCTION export_fail(export uuid, claim bigint, reason text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT export_end(ARRAY[export], 'failed', reason)
	  FROM search_export e WHERE e.uuid = export AND e.epoch = claim AND e.state = 'running'
$$;

-- Gives an export up for now: another process may claim it in lease_ms. This was no attempt that failed: when the caller had
-- begun one (export_begin), it is not counted.
CREATE OR REPLACE FUNCTION export_release(export uuid, claim bigint, lease_ms bigint, had_begun boolean)
	RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE search_export e SET lease_until = clock_timestamp() + make_interval(secs => lease_ms / 1000.0),
		attempts = greatest(e.attempts - had_begun::integer, 0)
	 WHERE e.uuid = export AND e.epoch = claim AND e.state = 'running'
$$;

-- Makes the caller, who holds the lock of the file, the one writer of the export that it has claimed. No row: another
-- process has written since the claim. The attempt is counted until the file grows (export_progress) or the caller gives
-- the export up (export_release), so those count whose process died. writer: the host whose directory has the file. A host
-- that takes an export over from one with a directory of its own finds no file, and writes all of it.
CREATE OR REPLACE FUNCTION export_begin(export uuid, claim bigint, had bigint, writer text, OUT epoch bigint,
	OUT resumed bigint)
	RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE search_export e SET epoch = e.epoch + 1, resumed = e.resumed + (e.bytes > 0)::integer,
		attempts = e.attempts + 1, host = writer
	 WHERE e.uuid = export AND e.epoch = claim AND e.bytes = had AND e.state = 'running'
	RETURNING e.epoch, e.resumed
$$;

-- Lets complete exports expire, cancels exports whose key has lost the right, and deletes the rows of exports that ended
-- `days` days ago. present: the exports that have a file. Returns those whose file is to be removed. A complete export
-- without a file has lost it, as after a restore: it expires, unless the directory has no file at all, as where its file
-- system is not mounted. A file gets its last name just before its row is complete,
-- so that only exports which ended some time ago are judged.
-- mine: the caller has a directory of its own. It then judges the exports alone whose file this host has written, and a
-- file that it has of an export which another host has completed is removed, too. null: all hosts share one.
CREATE OR REPLACE FUNCTION export_sweep(present uuid[], days bigint, mine text) RETURNS SETOF uuid LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE search_export e SET state = 'expired'
	 WHERE e.uuid IN (SELECT x.uuid FROM search_export x
		WHERE x.state = 'complete' AND (x.expires_at <= clock_timestamp()
			OR (x.finished_at < clock_timestamp() - interval '10 min' AND cardinality(present) > 0
			    AND x.uuid <> ALL (present) AND (mine IS NULL OR x.host = mine)))
		ORDER BY x.uuid FOR UPDATE);
	PERFORM export_end(ARRAY(SELECT e.uuid FROM search_export e JOIN export_right r USING (uuid)
		WHERE e.state IN ('queued', 'running') AND NOT r.may), 'cancelled', 'access_revoked');
	DELETE FROM search_export e
	 WHERE e.uuid IN (SELECT x.uuid FROM search_export x
		WHERE x.state IN ('failed', 'cancelled', 'expired')
		  AND x.finished_at < clock_timestamp() - make_interval(days => days::integer)
		ORDER BY x.uuid FOR UPDATE);
	RETURN QUERY SELECT p FROM unnest(present) AS p
	 WHERE NOT EXISTS (SELECT FROM search_export e WHERE e.uuid = p AND (e.state IN ('queued', 'running')
		OR e.state = 'complete' AND (mine IS NULL OR e.host IS NULL OR e.host = mine)));
END
$$;

-- Reads documents by their keys, in the order of the keys. A missing number is a record that is gone. Documents whose
-- sizes add up to more than `most` bytes come without their text, but the first always has it.
CREATE OR REPLACE FUNCTION export_read(export uuid, claim bigint, source smallint, keys text[], most bigint)
	RETURNS TABLE (at bigint, doc text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT p.at, CASE WHEN p.up_to <= most OR p.up_to = p.bytes THEN p.doc END
	  FROM (SELECT k.at, CASE WHEN EXISTS (SELECT FROM document_tag t WHERE t.dataset = source AND t.key = r.key)
			THEN record_tagged(source, r.key, r.doc) ELSE r.doc END AS doc, r.bytes, sum(r.bytes) OVER (ORDER BY k.at) AS up_to
		  FROM unnest(keys::bytea[]) WITH ORDINALITY AS k (key, at)
		  JOIN record r ON r.dataset = source AND r.key = k.key AND NOT r.gone
		 WHERE EXISTS (SELECT FROM search_export e WHERE e.uuid = export AND e.epoch = claim AND e.state = 'running')) AS p
	 ORDER BY p.at
$$;

GRANT EXECUTE ON FUNCTION export_create TO surfaced_api;
GRANT EXECUTE ON FUNCTION export_cancel TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION export_claim, export_progress, export_complete, export_begin, export_fail, export_release,
	export_sweep, export_read TO surfaced_export;
