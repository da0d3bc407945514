-- SPDX-License-Identifier: ISC
-- Rates, quotas and usage: what is allowed, what was leased to which host, what was counted there.

-- The one place of what keys, accounts and groups get unless somebody says otherwise for one of them.
CREATE TABLE meter_default (
	name text PRIMARY KEY DEFAULT 'default' CHECK (name = 'default'),
	key_rate integer NOT NULL DEFAULT 600 CHECK (key_rate BETWEEN 1 AND 1000000000),
	key_window integer NOT NULL DEFAULT 60 CHECK (key_window BETWEEN 1 AND 86400),
	search_rate integer NOT NULL DEFAULT 1200 CHECK (search_rate BETWEEN 1 AND 1000000000),
	search_window integer NOT NULL DEFAULT 60 CHECK (search_window BETWEEN 1 AND 86400),
	account_quota bigint NOT NULL DEFAULT 1000000 CHECK (account_quota BETWEEN 0 AND 4000000000),
	group_quota bigint NOT NULL DEFAULT 10000000 CHECK (group_quota BETWEEN 0 AND 4000000000)
);
INSERT INTO meter_default DEFAULT VALUES;

-- Null: the default. Requests (rate) in seconds (window), requests a calendar month UTC (quota).
ALTER TABLE api_key
	ADD rate integer CHECK (rate BETWEEN 1 AND 1000000000),
	ADD rate_window integer CHECK (rate_window BETWEEN 1 AND 86400);
ALTER TABLE account
	ADD search_rate integer CHECK (search_rate BETWEEN 1 AND 1000000000),
	ADD search_window integer CHECK (search_window BETWEEN 1 AND 86400),
	ADD quota bigint CHECK (quota BETWEEN 0 AND 4000000000);
ALTER TABLE account_group
	ADD quota bigint CHECK (quota BETWEEN 0 AND 4000000000);

CREATE TRIGGER key_changed AFTER UPDATE ON meter_default EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER UPDATE ON meter_default FOR EACH ROW EXECUTE FUNCTION audit_row('name');

-- The limits as they are enforced, and shown (C-073).
CREATE VIEW key_limit AS
	SELECT k.uuid AS key_uuid, coalesce(k.rate, d.key_rate) AS rate,
	       coalesce(k.rate_window, d.key_window) AS rate_window
	  FROM api_key k, meter_default d;
CREATE VIEW account_limit AS
	SELECT a.uuid AS account_uuid, coalesce(a.search_rate, d.search_rate) AS search_rate,
	       coalesce(a.search_window, d.search_window) AS search_window,
	       coalesce(a.quota, d.account_quota) AS quota
	  FROM account a, meter_default d;
CREATE VIEW group_limit AS
	SELECT g.uuid AS group_uuid, coalesce(g.quota, d.group_quota) AS quota
	  FROM account_group g, meter_default d;

-- One life of the shared mapping of one host: a reboot or a new file begins another.
CREATE TABLE meter_host (
	incarnation uuid PRIMARY KEY,
	host text NOT NULL CHECK (char_length(host) BETWEEN 1 AND 400),
	started_at timestamptz NOT NULL DEFAULT now(),
	last_seen timestamptz NOT NULL DEFAULT now(),	-- by the clock of the database
	flushed_through timestamptz NOT NULL,		-- by the clock of the host: all until then is stored
	closed_at timestamptz				-- its host has another incarnation now
);
CREATE UNIQUE INDEX meter_host_open ON meter_host (host) WHERE closed_at IS NULL;

-- What the hosts may hand out of a month's quota: the sum of what is leased and not surrendered. It is
-- locked while a lease is made, so no two hosts get the same unit.
CREATE TABLE quota_month (
	owner_uuid uuid NOT NULL, -- an account or a group
	month integer NOT NULL,   -- year * 12 + month, January being 0
	charged bigint NOT NULL DEFAULT 0 CHECK (charged >= 0),
	wanted_at timestamptz,	  -- a host found nothing left while others held some
	PRIMARY KEY (owner_uuid, month)
);

-- Each number only grows, so that a report which comes twice or late does no harm. Of a host that is
-- gone for good what was leased counts as used: nobody can know.
CREATE TABLE quota_lease (
	owner_uuid uuid NOT NULL,
	month integer NOT NULL,
	incarnation uuid NOT NULL REFERENCES meter_host,
	seq bigint NOT NULL DEFAULT 0,	-- of the last lease: asked for again it is not made again
	granted bigint NOT NULL DEFAULT 0,
	surrendered bigint NOT NULL DEFAULT 0,
	taken bigint NOT NULL DEFAULT 0,
	given_back bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (owner_uuid, month, incarnation),
	FOREIGN KEY (owner_uuid, month) REFERENCES quota_month,
	CHECK (surrendered <= granted)
);
CREATE INDEX quota_lease_incarnation ON quota_lease (incarnation, month);

CREATE TABLE usage_daily (
	key_uuid uuid NOT NULL REFERENCES api_key,
	day date NOT NULL,
	incarnation uuid NOT NULL REFERENCES meter_host,
	taken bigint NOT NULL,
	given_back bigint NOT NULL,
	requests bigint NOT NULL GENERATED ALWAYS AS (taken - given_back) STORED,
	PRIMARY KEY (key_uuid, day, incarnation)
);

-- Used of a month's quota by host.
CREATE VIEW quota_used AS
	SELECT l.owner_uuid, l.month, l.incarnation,
	       CASE WHEN h.closed_at IS NULL THEN l.taken - l.given_back ELSE l.granted - l.surrendered END AS used
	  FROM quota_lease l JOIN meter_host h USING (incarnation);

-- What follows is all that the meter may do: it runs with its owner's rights and the meter has no others.

CREATE FUNCTION meter_begin(p_incarnation uuid, p_host text, p_through timestamptz) RETURNS void
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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

-- Stores what a host has counted of one quota and, when p_seq is a new number, leases some more: all
-- that is left at most, an eighth of it usually. No row: there is no such owner. idle: what live hosts
-- besides this one hold and have not used.
CREATE FUNCTION meter_lease(p_incarnation uuid, p_kind text, p_owner uuid, p_month integer, p_seq bigint,
	p_granted bigint, p_surrendered bigint, p_taken bigint, p_given_back bigint)
	RETURNS TABLE (seq bigint, granted bigint, surrendered bigint, taken bigint, given_back bigint,
		rest bigint, idle bigint)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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
	PERFORM FROM meter_host h WHERE h.incarnation = p_incarnation AND h.closed_at IS NULL;
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
	l.granted := greatest(l.granted, p_granted); -- never less than what the host knows it was given
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

-- Leases of this host of which others want what is left, or whose quota has become smaller than them.
CREATE FUNCTION meter_unwanted(p_incarnation uuid, p_month integer)
	RETURNS TABLE (kind text, owner uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
	SELECT CASE WHEN a.quota IS NOT NULL THEN 'account' ELSE 'group' END, l.owner_uuid
	  FROM quota_lease l JOIN quota_month q USING (owner_uuid, month)
	  LEFT JOIN account_limit a ON a.account_uuid = l.owner_uuid
	  LEFT JOIN group_limit g ON g.group_uuid = l.owner_uuid
	 WHERE l.incarnation = p_incarnation AND l.month = p_month
	   AND (q.wanted_at > now() - interval '2 s' OR q.charged > coalesce(a.quota, g.quota))
$$;

-- Absolute counts, as parallel lists; through: nothing before it is missing here.
CREATE FUNCTION meter_flush(p_incarnation uuid, p_through timestamptz,
	p_owners uuid[], p_months integer[], p_taken bigint[], p_back bigint[],
	p_keys uuid[], p_days integer[], p_key_taken bigint[], p_key_back bigint[]) RETURNS boolean
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
	UPDATE meter_host SET last_seen = now(), flushed_through = greatest(flushed_through, p_through)
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

GRANT SELECT ON key_limit, account_limit TO surfaced_meter;
GRANT EXECUTE ON FUNCTION meter_begin, meter_lease, meter_unwanted, meter_flush TO surfaced_meter;
GRANT SELECT ON meter_default, key_limit, account_limit, group_limit, meter_host, quota_month, quota_lease,
	quota_used, usage_daily TO surfaced_api, surfaced_admin;
GRANT UPDATE ON meter_default TO surfaced_admin;
