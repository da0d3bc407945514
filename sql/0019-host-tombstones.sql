-- SPDX-License-Identifier: ISC
-- Deleted hosts: the search index follows deletions as it follows changes, by transaction.

CREATE TABLE host_gone (
	ip inet NOT NULL,
	changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
	at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX host_gone_changed ON host_gone (changed);
CREATE INDEX host_gone_at ON host_gone (at);

-- An index may go on with host_gone alone when its snapshot shows `begun` (this migration, or the last
-- TRUNCATE, which lists no rows) and lies wholly behind `purged` (the newest row that was removed).
CREATE TABLE host_gone_horizon (begun xid8 NOT NULL, purged xid8 NOT NULL);
INSERT INTO host_gone_horizon VALUES (pg_current_xact_id(), '0');

-- As the owner: a role that may delete hosts needs no right on the list of deletions.
CREATE FUNCTION host_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		UPDATE host_gone_horizon SET begun = pg_current_xact_id();
		NOTIFY host_changed;
	ELSE
		INSERT INTO host_gone (ip) SELECT ip FROM gone;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER host_gone AFTER DELETE ON host REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
	EXECUTE FUNCTION host_gone();
CREATE TRIGGER host_truncated AFTER TRUNCATE ON host FOR EACH STATEMENT EXECUTE FUNCTION host_gone();

-- A row that gets another address leaves no row in host_gone for its old one, so the index would keep both.
CREATE FUNCTION host_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'host %: the address of a host cannot be changed', host(OLD.ip)
		USING ERRCODE = 'restrict_violation', HINT = 'Delete the row and insert another one.';
END
$$;
CREATE TRIGGER host_moved BEFORE UPDATE OF ip ON host FOR EACH ROW WHEN (OLD.ip <> NEW.ip)
	EXECUTE FUNCTION host_moved();

-- Removes deletions that are a week old and that an index of this snapshot contains. An index that was
-- away for longer is built again.
CREATE FUNCTION host_gone_purge(contained pg_snapshot) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
	WITH removed AS (
		DELETE FROM host_gone WHERE at < now() - interval '7 days'
			AND changed < pg_snapshot_xmin(contained) RETURNING changed
	)
	UPDATE host_gone_horizon SET purged = newest
	  FROM (SELECT changed AS newest FROM removed ORDER BY changed DESC LIMIT 1) r WHERE newest > purged
$$;
REVOKE EXECUTE ON FUNCTION host_gone_purge FROM PUBLIC;
GRANT SELECT ON host_gone, host_gone_horizon TO surfaced_index;
GRANT EXECUTE ON FUNCTION host_gone_purge TO surfaced_index;
