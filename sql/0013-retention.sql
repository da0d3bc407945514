-- SPDX-License-Identifier: ISC
-- What goes after a while; surfaced-alert(8) says how long each is kept, and what is kept for ever. Everything
-- goes a batch at a time and steps around what somebody else has in hand.

CREATE INDEX alert_delivery_finished ON alert_delivery (greatest(created_at, last_attempt_at, delivered_at))
	WHERE state <> 'pending';
CREATE INDEX usage_daily_day ON usage_daily (day);

-- Deliveries that came to an end so long ago, and their attempts; never one that is to be sent, and of the inbox
-- nothing. How many.
CREATE FUNCTION retention_deliveries(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	old uuid[];
BEGIN
	SELECT array_agg(v.uuid) INTO old FROM (SELECT d.uuid FROM alert_delivery d
		WHERE d.state <> 'pending' AND greatest(d.created_at, d.last_attempt_at, d.delivered_at) < now() - p_days * interval '1 day'
		ORDER BY greatest(d.created_at, d.last_attempt_at, d.delivered_at) LIMIT p_most FOR UPDATE SKIP LOCKED) AS v;
	DELETE FROM alert_attempt WHERE delivery_uuid = ANY (old);
	DELETE FROM alert_delivery WHERE uuid = ANY (old);
	RETURN coalesce(cardinality(old), 0);
END
$$;

-- Usage by day, and the leases of months that have ended so long ago.
CREATE FUNCTION retention_usage(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	before date := (now() AT TIME ZONE 'UTC')::date - p_days::integer;
	month_before integer := extract(year FROM before) * 12 + extract(month FROM before) - 1;
	n bigint;
	m bigint;
BEGIN
	DELETE FROM usage_daily u USING (SELECT v.key_uuid, v.day, v.incarnation FROM usage_daily v WHERE v.day < before
		ORDER BY v.day LIMIT p_most FOR UPDATE SKIP LOCKED) AS old
	 WHERE (u.key_uuid, u.day, u.incarnation) = (old.key_uuid, old.day, old.incarnation);
	GET DIAGNOSTICS n = ROW_COUNT;
	DELETE FROM quota_lease l USING (SELECT v.owner_uuid, v.month, v.incarnation FROM quota_lease v WHERE v.month < month_before
		LIMIT p_most FOR UPDATE SKIP LOCKED) AS old
	 WHERE (l.owner_uuid, l.month, l.incarnation) = (old.owner_uuid, old.month, old.incarnation);
	GET DIAGNOSTICS m = ROW_COUNT;
	DELETE FROM quota_month q WHERE q.month < month_before
	   AND NOT EXISTS (SELECT FROM quota_lease l WHERE l.owner_uuid = q.owner_uuid AND l.month = q.month);
	RETURN greatest(n, m);
END
$$;

GRANT EXECUTE ON FUNCTION retention_deliveries, retention_usage TO surfaced_alert;
