-- SPDX-License-Identifier: ISC
-- A stream whose right was lost closes with 1008, also when its session has ended before the proxy asks.

-- As in 0010, but a lost right comes before the state of the session: the sweep ends a session for the same
-- lost right, and may do so before surfaced-stream asks.
CREATE OR REPLACE FUNCTION stream_check(proxy uuid) RETURNS TABLE (stream uuid, standing text) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT o.stream_uuid, CASE WHEN NOT r.may OR s.terminal_reason IS NOT DISTINCT FROM 'access_revoked' THEN 'revoked'
		WHEN r.state = 'terminal' THEN 'terminal' WHEN r.state IN ('running', 'closing') THEN 'ok' ELSE 'not_ready' END
	  FROM stream_slot o JOIN stream_right r USING (session_uuid) JOIN browser_session s ON s.uuid = o.session_uuid
	 WHERE o.proxy_uuid = proxy
$$;
