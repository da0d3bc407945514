-- SPDX-License-Identifier: ISC
-- Hosts are copied into the table record, as all other datasets have it. Their documents keep the spelling of jsonb (a blank
-- behind each colon) until the next import of the host; the programs read both.
--
-- The table host and what belongs to it stay as they are, so that programs of the earlier release go on answering from it
-- while hosts are upgraded one after the other (surfacectl(8), "expand"). Nothing follows the table any more, so writing
-- to it is refused: an import of the earlier release would be lost. A file of a later release drops the table.

-- The partition is filled directly, because the triggers of record would keep a copy of all rows. The key is ip5 of
-- src/record/key.c: 04 or 06, and the address. A row keeps the transaction of its last change, by which an index follows.
INSERT INTO record_hosts (dataset, key, doc, changed)
SELECT 1, (CASE family(ip) WHEN 4 THEN '\x04' ELSE '\x06' END)::bytea || substring(inet_send(ip) FROM 5), doc::text, changed
  FROM host ORDER BY ip;

INSERT INTO record_hosts (dataset, key, doc, gone, changed)
SELECT DISTINCT ON (ip) 1, (CASE family(ip) WHEN 4 THEN '\x04' ELSE '\x06' END)::bytea || substring(inet_send(ip) FROM 5),
       '', true, changed
  FROM host_gone AS g WHERE NOT EXISTS (SELECT FROM host AS h WHERE h.ip = g.ip) ORDER BY ip, changed DESC;

ANALYZE record_hosts;

-- An index could go on with host_gone when its snapshot lay behind the horizon; now it can with the marks above. An index
-- that has no other datasets yet reads all hosts again, and answers from its old files meanwhile.
INSERT INTO search_feed (engine, dataset, snapshot)
SELECT engine, 1, format('%s:%s:', next, next)::pg_snapshot
  FROM (SELECT DISTINCT engine FROM search_feed) AS e,
       (SELECT greatest(begun, purged)::text::bigint + 1 AS next FROM host_gone_horizon) AS h
ON CONFLICT DO NOTHING;

CREATE TRIGGER host_moved_away BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON host
	FOR EACH STATEMENT EXECUTE FUNCTION host_moved_away();

NOTIFY record_changed, '1';
