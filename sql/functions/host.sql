-- SPDX-License-Identifier: ISC
-- The hosts that share this database, each by the name "machine:directory".

-- Forgets a host that no longer exists. The units that it had leased and not used count as used, because nobody knows
-- how many it used. A host that was forgotten by mistake registers again by itself: surfaced-meter begins a new
-- incarnation, and surfaced-index builds its index again.
CREATE OR REPLACE FUNCTION host_remove(p_host text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
	machine text := split_part(p_host, ':', 1);
BEGIN
	UPDATE meter_host SET closed_at = now() WHERE host = p_host AND closed_at IS NULL;
	DELETE FROM browser_host WHERE name = p_host;
	-- The index belongs to the machine, which may have another installation.
	IF NOT EXISTS (SELECT FROM meter_host WHERE closed_at IS NULL AND split_part(host, ':', 1) = machine) THEN
		DELETE FROM search_feed WHERE engine NOT LIKE 'clickhouse:%'
			AND left(engine, strpos(engine, ':') - 1) = left(machine, 32);
	END IF;
	INSERT INTO audit (actor, action, subject, subject_id)
	VALUES (coalesce(nullif(current_setting('surfaced.actor', true), ''), 'role:' || session_user), 'host.remove', 'host', p_host);
END
$$;

REVOKE EXECUTE ON FUNCTION host_remove FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_remove TO surfaced_admin;
