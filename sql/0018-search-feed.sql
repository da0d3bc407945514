-- SPDX-License-Identifier: ISC
-- ClickHouse as an engine of search: who feeds it, and the wish for a new layout (surfacectl search switch).

-- epoch: grows each time another process, or another connection, begins to feed. It is the upper half of the versions of
-- rows in ClickHouse, so a row of a later feeder always replaces one of a former.
ALTER TABLE search_feed ADD COLUMN epoch bigint NOT NULL DEFAULT 0, ADD COLUMN refill boolean NOT NULL DEFAULT false;
GRANT UPDATE (refill) ON search_feed TO surfaced_admin;

INSERT INTO metric_kind VALUES
	('surfaced_search_feed_age_seconds', 'gauge', 'Time since a layout of ClickHouse was last known to be up to date, by dataset');
