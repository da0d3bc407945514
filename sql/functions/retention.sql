-- SPDX-License-Identifier: ISC
-- Rows that are deleted after a number of days; surfaced-alert(8) lists the number of days for each kind of
-- row. Each call deletes one batch, skips rows that another transaction has locked, and returns the number of
-- deleted rows.

-- Deletes deliveries that ended p_days ago, with their attempts. Alerts and pending deliveries stay.
CREATE OR REPLACE FUNCTION retention_deliveries(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
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

-- Deletes usage by day, and the leases of quotas of months that ended p_days ago.
CREATE OR REPLACE FUNCTION retention_usage(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
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

-- Deletes the Idempotency-Keys of requests for reports of p_days ago. Such a key is for the retries of one request; the
-- same text sent later is the same report without it.
CREATE OR REPLACE FUNCTION retention_report_requests(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n bigint;
BEGIN
	DELETE FROM report_request q USING (SELECT v.space FROM report_request v
		WHERE v.created_at < now() - p_days * interval '1 day' ORDER BY v.created_at LIMIT p_most FOR UPDATE SKIP LOCKED) AS old
	 WHERE q.space = old.space;
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n;
END
$$;

-- Deletes sign-ins that ended p_days ago and links that ended then, challenges that were used and have ended, and buckets
-- that have emptied long ago.
CREATE OR REPLACE FUNCTION retention_sign_ins(p_days bigint, p_most bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	before timestamptz := now() - p_days * interval '1 day';
	n bigint;
	m bigint;
BEGIN
	DELETE FROM sign_in i USING (SELECT v.uuid FROM sign_in v WHERE least(v.ended_at, v.expires_at) < before
		LIMIT p_most FOR UPDATE SKIP LOCKED) AS old WHERE i.uuid = old.uuid;
	GET DIAGNOSTICS n = ROW_COUNT;
	DELETE FROM sign_in_link l USING (SELECT v.uuid FROM sign_in_link v WHERE v.expires_at < before
		LIMIT p_most FOR UPDATE SKIP LOCKED) AS old WHERE l.uuid = old.uuid;
	GET DIAGNOSTICS m = ROW_COUNT;
	DELETE FROM proof_used p USING (SELECT v.sha256 FROM proof_used v WHERE v.expires_at < now() - interval '1 hour'
		LIMIT p_most FOR UPDATE SKIP LOCKED) AS old WHERE p.sha256 = old.sha256;
	DELETE FROM throttle t USING (SELECT v.bucket FROM throttle v WHERE v.at < now() - interval '1 day'
		LIMIT p_most FOR UPDATE SKIP LOCKED) AS old WHERE t.bucket = old.bucket;
	RETURN greatest(n, m);
END
$$;

GRANT EXECUTE ON FUNCTION retention_sign_ins TO surfaced_alert;
GRANT EXECUTE ON FUNCTION retention_deliveries, retention_usage, retention_report_requests TO surfaced_alert;
