-- SPDX-License-Identifier: ISC
-- Probes of egress routes by surfaced-dispatch.

-- Routes that are to be probed now. target is the "host:port" of periodic probes; when it is empty, only the
-- probes that surfacectl requested are due.
CREATE OR REPLACE FUNCTION route_due(target text, every_ms bigint) RETURNS TABLE (uuid uuid, kind text, host text, port integer,
	credential text, probe_target text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT r.uuid, r.kind, r.host, coalesce(r.port, 0), r.credential, coalesce(r.probe_target, target) FROM egress_route r
	 WHERE r.probe_target IS NOT NULL OR (r.enabled AND target <> ''
	   AND coalesce(r.probed_at, '-infinity') <= clock_timestamp() - make_interval(secs => every_ms / 1000.0))
	 ORDER BY r.uuid LIMIT 100
$$;

-- Stores the result of a probe.
CREATE OR REPLACE FUNCTION route_probed(route uuid, answered boolean, ms bigint, why text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE egress_route r SET answered = route_probed.answered, probed_at = clock_timestamp(), probe_target = NULL,
		probe_ms = CASE WHEN route_probed.answered THEN ms END, probe_why = why WHERE r.uuid = route
$$;

GRANT EXECUTE ON FUNCTION route_due, route_probed TO surfaced_dispatch;
