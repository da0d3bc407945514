-- SPDX-License-Identifier: ISC
-- The functions of surfaced-meter. It has no right on any table: these functions run with their owner's rights.

-- Begins an incarnation of a host's counters and closes the previous incarnation.
CREATE OR REPLACE FUNCTION meter_begin(p_incarnation uuid, p_host text, p_through timestamptz) RETURNS void
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE meter_host SET closed_at = now()
	 WHERE host = p_host AND closed_at IS NULL AND incarnation <> p_incarnation;
	INSERT INTO meter_host (incarnation, host, flushed_through) VALUES (p_incarnation, p_host, p_through)
	    ON CONFLICT (incarnation) DO UPDATE SET last_seen = now();
	PERFORM FROM meter_host WHERE incarnation = p_incarnation AND closed_at IS NULL;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this incarnation is closed: its host has begun another';
	END IF;
END
$$;

-- Stores the counts of a host for one quota and, when p_seq is a new number, leases more units: an eighth of
-- the units that are left, at most 200. Returns no row when there is no such owner. idle: the units that other
-- live hosts hold and have not used.
CREATE OR REPLACE FUNCTION meter_lease(p_incarnation uuid, p_kind text, p_owner uuid, p_month integer, p_seq bigint,
	p_granted bigint, p_surrendered bigint, p_taken bigint, p_given_back bigint)
	RETURNS TABLE (seq bigint, granted bigint, surrendered bigint, taken bigint, given_back bigint,
		rest bigint, idle bigint)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
	quota bigint;
	l quota_lease;
	charge bigint;
	block bigint := 0;
	others bigint := 0;
BEGIN
	IF p_kind = 'account' THEN
		SELECT v.quota INTO quota FROM account_limit v WHERE v.account_uuid = p_owner;
	ELSE
		SELECT v.quota INTO quota FROM group_limit v WHERE v.group_uuid = p_owner;
	END IF;
	IF quota IS NULL THEN
		RETURN;
	END IF;
	-- With p_seq 0 a host also returns the units of a closed incarnation.
	PERFORM FROM meter_host h WHERE h.incarnation = p_incarnation AND (h.closed_at IS NULL OR p_seq = 0);
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this incarnation is closed or unknown';
	END IF;
	INSERT INTO quota_month (owner_uuid, month) VALUES (p_owner, p_month) ON CONFLICT DO NOTHING;
	SELECT q.charged INTO charge FROM quota_month q
	 WHERE q.owner_uuid = p_owner AND q.month = p_month FOR UPDATE;
	INSERT INTO quota_lease (owner_uuid, month, incarnation) VALUES (p_owner, p_month, p_incarnation)
	    ON CONFLICT DO NOTHING;
	SELECT * INTO l FROM quota_lease q
	 WHERE q.owner_uuid = p_owner AND q.month = p_month AND q.incarnation = p_incarnation FOR UPDATE;
	charge := charge - (l.granted - l.surrendered);
	l.granted := greatest(l.granted, p_granted); -- at least the number that the host reports
	l.surrendered := greatest(l.surrendered, p_surrendered);
	l.taken := greatest(l.taken, p_taken);
	l.given_back := greatest(l.given_back, p_given_back);
	charge := charge + (l.granted - l.surrendered);
	rest := quota - charge;
	IF p_seq > l.seq THEN
		l.seq := p_seq;
		IF rest > 0 THEN
			block := least(rest, greatest(1, least(200, rest / 8)));
		ELSE
			SELECT coalesce(sum(greatest(o.granted - o.surrendered - (o.taken - o.given_back), 0)), 0) INTO others
			  FROM quota_lease o JOIN meter_host h ON h.incarnation = o.incarnation
			 WHERE o.owner_uuid = p_owner AND o.month = p_month AND o.incarnation <> p_incarnation
			   AND h.closed_at IS NULL AND h.last_seen > now() - interval '5 s';
			IF others > 0 AND rest = 0 THEN
				NOTIFY meter_wanted;
			END IF;
		END IF;
	END IF;
	UPDATE quota_lease q SET seq = l.seq, granted = l.granted + block, surrendered = l.surrendered,
		taken = l.taken, given_back = l.given_back
	 WHERE q.owner_uuid = p_owner AND q.month = p_month AND q.incarnation = p_incarnation;
	UPDATE quota_month q SET charged = charge + block,
		wanted_at = CASE WHEN others > 0 THEN now() ELSE q.wanted_at END
	 WHERE q.owner_uuid = p_owner AND q.month = p_month;
	RETURN QUERY SELECT l.seq, l.granted + block, l.surrendered, l.taken, l.given_back, rest - block, others;
END
$$;

-- Leases of this host whose unused units it should return, because another host needs units or the quota was
-- lowered.
CREATE OR REPLACE FUNCTION meter_unwanted(p_incarnation uuid, p_month integer)
	RETURNS TABLE (kind text, owner uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN a.quota IS NOT NULL THEN 'account' ELSE 'group' END, l.owner_uuid
	  FROM quota_lease l JOIN quota_month q USING (owner_uuid, month)
	  LEFT JOIN account_limit a ON a.account_uuid = l.owner_uuid
	  LEFT JOIN group_limit g ON g.group_uuid = l.owner_uuid
	 WHERE l.incarnation = p_incarnation AND l.month = p_month
	   AND (q.wanted_at > now() - interval '2 s' OR q.charged > coalesce(a.quota, g.quota))
$$;

-- Stores absolute counts, given as parallel lists. p_through: every count of this host before that time is
-- stored. The time is limited to now(): if the clock of the host was ahead for a moment, days would count as
-- complete too early. The last counts of a closed incarnation are stored too. False: the incarnation is closed
-- or unknown.
CREATE OR REPLACE FUNCTION meter_flush(p_incarnation uuid, p_through timestamptz,
	p_owners uuid[], p_months integer[], p_taken bigint[], p_back bigint[],
	p_keys uuid[], p_days integer[], p_key_taken bigint[], p_key_back bigint[]) RETURNS boolean
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	is_open boolean;
BEGIN
	UPDATE meter_host SET last_seen = now(), flushed_through = coalesce(least(p_through, now()), flushed_through)
	 WHERE incarnation = p_incarnation AND closed_at IS NULL;
	is_open := FOUND;
	PERFORM FROM meter_host WHERE incarnation = p_incarnation;
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
	RETURN is_open;
END
$$;

GRANT EXECUTE ON FUNCTION meter_begin, meter_lease, meter_unwanted, meter_flush TO surfaced_meter;
