-- SPDX-License-Identifier: ISC
-- Rates, quotas and usage: the limits, the units that each host has leased, and the counts of each host.

-- The limits of keys, accounts and groups that have none of their own.
CREATE TABLE meter_default (
	name text PRIMARY KEY DEFAULT 'default' CHECK (name = 'default'),
	key_rate integer NOT NULL DEFAULT 600 CHECK (key_rate BETWEEN 1 AND 1000000000),
	key_window integer NOT NULL DEFAULT 60 CHECK (key_window BETWEEN 1 AND 86400),
	search_rate integer NOT NULL DEFAULT 1200 CHECK (search_rate BETWEEN 1 AND 1000000000),
	search_window integer NOT NULL DEFAULT 60 CHECK (search_window BETWEEN 1 AND 86400),
	account_quota bigint NOT NULL DEFAULT 1000000 CHECK (account_quota BETWEEN 0 AND 4000000000),
	group_quota bigint NOT NULL DEFAULT 10000000 CHECK (group_quota BETWEEN 0 AND 4000000000),
	export_records bigint NOT NULL DEFAULT 100000000 CHECK (export_records BETWEEN 0 AND 1000000000000)
);
INSERT INTO meter_default DEFAULT VALUES;
CREATE TRIGGER key_changed AFTER UPDATE ON meter_default EXECUTE FUNCTION key_changed();
CREATE TRIGGER audit_row AFTER UPDATE ON meter_default FOR EACH ROW EXECUTE FUNCTION audit_row('name');

-- The limits as they are enforced and shown (C-073).
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

-- One life of the shared mapping of a host. A reboot or a new file begins another incarnation.
CREATE TABLE meter_host (
	incarnation uuid PRIMARY KEY,
	host text NOT NULL CHECK (char_length(host) BETWEEN 1 AND 400),
	started_at timestamptz NOT NULL DEFAULT now(),
	last_seen timestamptz NOT NULL DEFAULT now(),	-- by the clock of the database
	flushed_through timestamptz NOT NULL,		-- by the clock of the host: all until then is stored
	closed_at timestamptz				-- its host has another incarnation now
);
CREATE UNIQUE INDEX meter_host_open ON meter_host (host) WHERE closed_at IS NULL;

-- The units of a month's quota that hosts have leased and not surrendered. The row is locked while a lease is
-- made, so no two hosts get the same unit.
CREATE TABLE quota_month (
	owner_uuid uuid NOT NULL, -- an account or a group
	month integer NOT NULL,   -- year * 12 + month, January being 0
	charged bigint NOT NULL DEFAULT 0 CHECK (charged >= 0),
	wanted_at timestamptz,	  -- a host found nothing left while others held some
	PRIMARY KEY (owner_uuid, month)
);

-- Each number only grows, so that a report which comes twice or late does no harm. The units that a host had
-- leased when it was lost count as used, because nobody can know.
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
CREATE INDEX usage_daily_day ON usage_daily (day);

-- How much of a month's quota each host has used.
CREATE VIEW quota_used AS
	SELECT l.owner_uuid, l.month, l.incarnation,
	       CASE WHEN h.closed_at IS NULL THEN l.taken - l.given_back ELSE l.granted - l.surrendered END AS used
	  FROM quota_lease l JOIN meter_host h USING (incarnation);

GRANT SELECT ON key_limit, account_limit TO surfaced_meter;
GRANT SELECT ON meter_default, key_limit, account_limit, group_limit, meter_host, quota_month, quota_lease,
	quota_used, usage_daily TO surfaced_api, surfaced_admin;
GRANT UPDATE ON meter_default TO surfaced_admin;
