-- SPDX-License-Identifier: ISC
-- The history of records: what each change of a host or a registration was (src/record/event.h). Whoever changes a
-- record writes the events in the same transaction, by record_event_add (functions/event.sql).

CREATE SEQUENCE record_event_seq;
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
	began timestamptz NOT NULL, -- when changes began to be recorded; -infinity: the database had no records before
	oldest timestamptz NOT NULL -- the beginning of the first month that record_event keeps
);
INSERT INTO record_history (began, oldest)
	SELECT CASE WHEN EXISTS (SELECT FROM record) THEN now() ELSE '-infinity' END,
	       date_trunc('month', now() - interval '365 days', 'UTC');

GRANT SELECT ON record_event, record_history TO surfaced_api, surfaced_admin;
