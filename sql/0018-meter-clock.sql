-- SPDX-License-Identifier: ISC
-- The time until which a host has stored its counts is one of the database's clock, like all times of the meter.

-- Absolute counts, as parallel lists; through: nothing before it is missing here. It is not kept beyond now: after a
-- clock that was ahead for a moment, days would count as complete before they are.
CREATE OR REPLACE FUNCTION meter_flush(p_incarnation uuid, p_through timestamptz,
	p_owners uuid[], p_months integer[], p_taken bigint[], p_back bigint[],
	p_keys uuid[], p_days integer[], p_key_taken bigint[], p_key_back bigint[]) RETURNS boolean
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE meter_host SET last_seen = now(), flushed_through = coalesce(least(p_through, now()), flushed_through)
	 WHERE incarnation = p_incarnation AND closed_at IS NULL;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE quota_lease l SET taken = greatest(l.taken, f.taken), given_back = greatest(l.given_back, f.back)
	  FROM unnest(p_owners, p_months, p_taken, p_back) AS f (owner, month, taken, back)
	 WHERE l.owner_uuid = f.owner AND l.month = f.month AND l.incarnation = p_incarnation;
	INSERT INTO usage_daily AS u (key_uuid, day, incarnation, taken, given_back)
	SELECT f.key, date '1970-01-01' + f.day, p_incarnation, f.taken, f.back
	  FROM unnest(p_keys, p_days, p_key_taken, p_key_back) AS f (key, day, taken, back)
	  JOIN api_key k ON k.uuid = f.key
	    ON CONFLICT (key_uuid, day, incarnation) DO UPDATE
	   SET taken = greatest(u.taken, excluded.taken), given_back = greatest(u.given_back, excluded.given_back);
	RETURN true;
END
$$;
