-- SPDX-License-Identifier: ISC
-- How fresh the search index of each host is: surfaced-index sets `at` when a pass has succeeded, and `fault` when it has not.

ALTER TABLE search_feed ADD fault text CHECK (octet_length(fault) BETWEEN 1 AND 1000);
GRANT DELETE ON search_feed TO surfaced_index;

INSERT INTO metric_kind VALUES
	('surfaced_index_age_seconds', 'gauge', 'Time since the search index of a host was last known to be up to date, by index and dataset');
