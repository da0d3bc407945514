-- SPDX-License-Identifier: ISC
-- Metrics of imports, exports and surfaced-detect.

-- When surfacectl last imported each kind of record: a file that it read to the end, with bad records or without.
CREATE TABLE import_last (
	kind text PRIMARY KEY, -- as in "surfacectl import KIND"
	at timestamptz NOT NULL
);

INSERT INTO metric_kind VALUES
	('surfaced_imports_total', 'counter', 'Imports of surfacectl by their result: complete, bad (records were left out), failed'),
	('surfaced_import_age_seconds', 'gauge', 'Time since the last import that was read to its end'),
	('surfaced_exports_ended_total', 'counter', 'Exports that ended, by their state'),
	('surfaced_detect_lag_seconds', 'gauge', 'Time since surfaced-detect had followed all changes of documents'),
	('surfaced_detect_work_waiting', 'gauge', 'Rules, assets and subjects to be looked at again; 100000 stands for more'),
	('surfaced_detect_failures_total', 'counter', 'Looks of detectors that failed'),
	('surfaced_rules_failed', 'gauge', 'Detection rules that are not evaluated because their evaluation failed');
INSERT INTO metric (series, kind, place)
SELECT format('surfaced_imports_total{result="%s"}', v), 'surfaced_imports_total', 2100 + n
  FROM unnest('{complete,bad,failed}'::text[]) WITH ORDINALITY AS t (v, n)
UNION ALL
SELECT format('surfaced_exports_ended_total{state="%s"}', v), 'surfaced_exports_ended_total', 2200 + n
  FROM unnest('{complete,failed,cancelled}'::text[]) WITH ORDINALITY AS t (v, n)
UNION ALL
SELECT 'surfaced_detect_failures_total', 'surfaced_detect_failures_total', 2300;

CREATE TRIGGER metric_end AFTER UPDATE ON search_export FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state IN ('complete', 'failed', 'cancelled'))
	EXECUTE FUNCTION metric_export();
GRANT SELECT ON import_last TO surfaced_admin;
