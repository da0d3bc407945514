-- SPDX-License-Identifier: ISC
-- Documents of hosts: the merge of two observations, and the list of deleted hosts.

-- The document of a host that is seen again. Members of the record with the later last_seen win (on a tie or
-- without times: those of the new record), and the other record fills in missing members; first_seen is the
-- earlier and last_seen the later of both. Of two records of one service, by (port, transport), the record that
-- wins is taken whole, except for the times. host_merge(x, x) = x, and a record without times changes none.
-- This is one function with one query, because an import calls it for every host, and nested SQL functions took
-- five times as long.
CREATE OR REPLACE FUNCTION host_merge(old jsonb, new jsonb) RETURNS jsonb
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

-- Removes the rows of deletions that are a week old and that an index with this snapshot contains. An index
-- whose snapshot is older than a removed row is built again.
CREATE OR REPLACE FUNCTION host_gone_purge(contained pg_snapshot) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
	WITH removed AS (
		DELETE FROM host_gone WHERE at < now() - interval '7 days'
			AND changed < pg_snapshot_xmin(contained) RETURNING changed
	)
	UPDATE host_gone_horizon SET purged = newest
	  FROM (SELECT changed AS newest FROM removed ORDER BY changed DESC LIMIT 1) r WHERE newest > purged
$$;

GRANT EXECUTE ON FUNCTION host_merge TO surfaced_admin;
REVOKE EXECUTE ON FUNCTION host_gone_purge FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_gone_purge TO surfaced_index;
