-- SPDX-License-Identifier: ISC
-- The history of records (0005-records.sql): events are added in batches, and months of them are made and dropped.

-- Makes the partitions of all months from the one of p_from to that of p_to that are missing. ATTACH, unlike CREATE
-- TABLE ... PARTITION OF, lets others read and write the table meanwhile.
CREATE OR REPLACE FUNCTION record_event_months(p_from timestamptz, p_to timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	m timestamp := date_trunc('month', p_from AT TIME ZONE 'UTC');
	name text;
BEGIN
	WHILE m <= p_to AT TIME ZONE 'UTC' LOOP
		name := 'record_event_' || to_char(m, 'YYYYMM');
		IF to_regclass(name) IS NULL THEN
			PERFORM pg_advisory_xact_lock(hashtext('record_event_months'));
		END IF;
		IF to_regclass(name) IS NULL THEN
			EXECUTE format('CREATE TABLE %I (LIKE record_event INCLUDING ALL)', name);
			EXECUTE format('ALTER TABLE record_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
				m AT TIME ZONE 'UTC', (m + interval '1 month') AT TIME ZONE 'UTC');
		END IF;
		m := m + interval '1 month';
	END LOOP;
END
$$;

-- Adds events of records of one dataset; the arrays have one place for each event, and those of a record are in their
-- order. The caller's transaction has written the records and keeps others from changing them.
--
-- A record has at most 32 events of a day of UTC (C-412). If a day has more, the last of the 32 is the coalesced one,
-- whose count is the number of events that it stands for:
--
--   events of the day    had   new   written
--   up to 32             30    2     both
--   more, from here on   30    5     one, and a coalesced one with the count 4
--   more                 32    5     nothing; the last event becomes a coalesced one with the count 6
--   coalesced already    32    5     nothing; its count grows by 5
--
-- The caller may send the events of a day beyond 32 as one coalesced event with their number, at the latest of their
-- times (src/cli/import/events.c).
--
-- An event in the future has the time of now, and one from before the first month that is kept is left out. fresh: the
-- records had no row, so their one event needs no count, which is most of the work. A record that is removed and comes
-- back on a day that has 32 events already is the exception: after its mark was purged, that day has a 33rd event.
CREATE OR REPLACE FUNCTION record_event_add(d smallint, fresh boolean, keys bytea[], times timestamptz[], kinds smallint[],
	texts text[])
	RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off
	SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
	most CONSTANT integer := 32;
	coalesced CONSTANT smallint := 10;
	first timestamptz;
BEGIN
	LOCK TABLE ONLY record_event IN ROW EXCLUSIVE MODE; -- from here on, record_event_keep drops no month
	SELECT oldest INTO first FROM record_history;
	PERFORM record_event_months(greatest(first, least(min(t), now())), least(max(t), now())) FROM unnest(times) AS t;
	IF fresh THEN
		INSERT INTO record_event (dataset, key, at, kind, what)
		SELECT d, u.key, least(u.at, now()), u.kind, u.what
		  FROM unnest(keys, times, kinds, texts) AS u (key, at, kind, what) WHERE least(u.at, now()) >= first;
		RETURN;
	END IF;
	WITH given AS (
		SELECT g.*, date_trunc('day', g.at, 'UTC') AS day,
		       CASE WHEN g.kind = coalesced THEN (g.what::json ->> 'count')::bigint ELSE 1 END AS weight
		  FROM (SELECT u.key, least(u.at, now()) AS at, u.kind, u.what, u.n
			  FROM unnest(keys, times, kinds, texts) WITH ORDINALITY AS u (key, at, kind, what, n)) AS g
		 WHERE g.at >= first),
	numbered AS (
		SELECT *, row_number() OVER (PARTITION BY key, day ORDER BY n) AS nth,
		       (sum(weight) OVER (PARTITION BY key, day))::bigint AS new,
		       max(at) OVER (PARTITION BY key, day) AS last
		  FROM given),
	counted AS MATERIALIZED (
		SELECT *, max(CASE WHEN nth = 1 THEN (SELECT count(*) FROM record_event AS e WHERE e.dataset = d
			AND e.key = s.key AND e.at >= s.day AND e.at < s.day + interval '24 hours') END)
			OVER (PARTITION BY key, day) AS had
		  FROM numbered AS s),
	plain AS (
		INSERT INTO record_event (dataset, key, at, kind, what)
		SELECT d, key, at, kind, what FROM counted
		 WHERE had + new <= most OR nth < most - had ORDER BY n),
	summed AS (
		INSERT INTO record_event (dataset, key, at, kind, what)
		SELECT d, key, last, coalesced, json_build_object('count', new - (most - 1 - had)) FROM counted
		 WHERE nth = 1 AND had + new > most AND had < most)
	UPDATE record_event AS e SET at = greatest(e.at, c.last), kind = coalesced,
		what = json_build_object('count', coalesce((e.what::json ->> 'count')::bigint, 1) + c.new)
	  FROM counted AS c CROSS JOIN LATERAL (SELECT l.at, l.seq FROM record_event AS l WHERE l.dataset = d
			AND l.key = c.key AND l.at >= c.day AND l.at < c.day + interval '24 hours'
			ORDER BY (l.kind = coalesced) DESC, l.at DESC, l.seq DESC LIMIT 1) AS l
	 WHERE c.nth = 1 AND c.had >= most AND e.dataset = d AND e.key = c.key AND e.at = l.at AND e.seq = l.seq;
END
$$;

-- Drops the months that ended p_days ago, at most p_most of them, and makes those up to the one after next. Returns how
-- many it has dropped. A month that another transaction locks for more than two seconds is left to a later call. Months are
-- dropped first: DROP TABLE waits until no import adds events, and would wait for ever for one that waits to make a month.
CREATE OR REPLACE FUNCTION record_event_keep(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
	first timestamptz := date_trunc('month', now() - p_days * interval '1 day', 'UTC');
	old text;
	n bigint := 0;
BEGIN
	FOR old IN SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'record_event'::regclass
		AND c.relname < 'record_event_' || to_char(first AT TIME ZONE 'UTC', 'YYYYMM')
		ORDER BY c.relname LIMIT p_most
	LOOP
		BEGIN
			EXECUTE format('DROP TABLE IF EXISTS %I', old); -- another surfaced-alert may have dropped it
			n := n + 1;
		EXCEPTION WHEN lock_not_available THEN
			EXIT;
		END;
	END LOOP;
	BEGIN
		PERFORM record_event_months(first, now() + interval '2 months');
	EXCEPTION WHEN lock_not_available THEN
		NULL; -- an import makes the months that it needs
	END;
	-- A longer history does not bring back what was dropped.
	UPDATE record_history SET began = CASE WHEN first < oldest THEN greatest(began, oldest) ELSE began END, oldest = first
	 WHERE oldest <> first;
	RETURN n;
END
$$;

REVOKE EXECUTE ON FUNCTION record_event_months, record_event_add, record_event_keep FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_event_add TO surfaced_admin;
GRANT EXECUTE ON FUNCTION record_event_keep TO surfaced_alert;
