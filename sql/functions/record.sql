-- SPDX-License-Identifier: ISC
-- Documents in the table record: deletion, and the end of its marks.

-- Deletes a record: the row stays as a mark until every index has seen it.
CREATE OR REPLACE FUNCTION record_remove(d smallint, k bytea) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM record_blob WHERE dataset = d AND key = k;
	UPDATE record SET doc = '', gone = true WHERE dataset = d AND key = k AND NOT gone;
	RETURN FOUND;
END
$$;

-- Removes the marks that the snapshots of all indexes of the dataset show, and surfaced-detect's. SECURITY DEFINER: nobody else may delete rows.
CREATE OR REPLACE FUNCTION record_purge(d smallint) RETURNS bigint LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
	WITH removed AS (
		DELETE FROM record WHERE dataset = d AND gone
			AND changed < coalesce((SELECT min(pg_snapshot_xmin(s.snapshot)) FROM
				(SELECT snapshot FROM search_feed WHERE dataset = d
				UNION ALL SELECT snapshot FROM detect_cursor WHERE dataset = d) AS s),
				pg_snapshot_xmin(pg_current_snapshot()))
		RETURNING 1
	)
	SELECT count(*) FROM removed
$$;

REVOKE EXECUTE ON FUNCTION record_purge, record_remove FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_remove TO surfaced_admin;
GRANT EXECUTE ON FUNCTION record_purge TO surfaced_index, surfaced_admin;
