-- SPDX-License-Identifier: ISC
-- Damage of index files as a metric: surfaced-index adds what its passes found (metric_add).

INSERT INTO metric_kind VALUES
	('surfaced_index_damages_total', 'counter', 'Damaged files of search indexes, and of their copies, that surfaced-index found and replaced');
INSERT INTO metric (series, kind, place)
SELECT format('surfaced_index_damages_total{dataset="%s"}', name), 'surfaced_index_damages_total', 2000 + n
  FROM unnest('{hosts,dns,whois,certificates,reports,open-directories}'::text[]) WITH ORDINALITY AS d (name, n);
