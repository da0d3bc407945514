-- SPDX-License-Identifier: ISC
-- Metrics of the whole installation, whichever program or host counts them. surfaced-meter shows them beside the
-- counters of its host (src/tbl/counters.h). They inform people and decide nothing.

CREATE TABLE metric_kind (
	name text PRIMARY KEY CHECK (name ~ '^surfaced_[a-z_]+$'),
	type text NOT NULL CHECK (type IN ('counter', 'gauge', 'histogram')),
	help text NOT NULL
);
INSERT INTO metric_kind VALUES
	('surfaced_alert_changes_waiting', 'gauge', 'Changes to be judged by alert rules; 100000 stands for more'),
	('surfaced_alert_lag_seconds', 'gauge', 'Age of the oldest change that is due to be judged'),
	('surfaced_alerts_total', 'counter', 'Alerts that rules raised, raised again or cleared, and people moved'),
	('surfaced_alert_deliveries_waiting', 'gauge', 'Deliveries to be sent, or sent again; 100000 stands for more'),
	('surfaced_alert_delivery_lag_seconds', 'gauge', 'Age of the oldest delivery that is due'),
	('surfaced_alert_deliveries_total', 'counter', 'Deliveries that were made, and how they came to an end'),
	('surfaced_alert_attempts_total', 'counter', 'Attempts to deliver by their answer'),
	('surfaced_alert_retries_total', 'counter', 'Attempts to deliver that were not the first of their delivery'),
	('surfaced_sessions', 'gauge', 'Browser sessions that are not terminal by state'),
	('surfaced_sessions_created_total', 'counter', 'Browser sessions that were created'),
	('surfaced_sessions_ended_total', 'counter', 'Browser sessions that became terminal by reason'),
	('surfaced_session_requeues_total', 'counter', 'Starts of browser sessions that are to be tried again'),
	('surfaced_session_start_seconds', 'histogram', 'Time from the creation of a browser session to its first page'),
	('surfaced_streams', 'gauge', 'Live streams that are open'),
	('surfaced_streams_opened_total', 'counter', 'Live streams that were opened'),
	('surfaced_streams_refused_total', 'counter', 'Requests for a live stream that were refused'),
	('surfaced_stream_bytes_total', 'counter', 'Bytes of live streams'),
	('surfaced_egress_connections_total', 'counter', 'Attempts of browsers to connect: connected, denied by rule, failed'),
	('surfaced_exports', 'gauge', 'Exports that are not finished by state'),
	('surfaced_export_lag_seconds', 'gauge', 'Age of the oldest export that nobody has begun to write'),
	('surfaced_search_feed_age_seconds', 'gauge', 'Time since a layout of ClickHouse was last known to be up to date, by dataset'),
	('surfaced_index_damages_total', 'counter', 'Damaged files of search indexes, and of their copies, that surfaced-index found and replaced'),
	('surfaced_index_age_seconds', 'gauge', 'Time since the search index of a host was last known to be up to date, by index and dataset'),
	('surfaced_imports_total', 'counter', 'Imports of surfacectl by their result: complete, bad (records were left out), failed'),
	('surfaced_import_age_seconds', 'gauge', 'Time since the last import that was read to its end'),
	('surfaced_exports_ended_total', 'counter', 'Exports that ended, by their state'),
	('surfaced_detect_lag_seconds', 'gauge', 'Time since surfaced-detect had followed all changes of documents'),
	('surfaced_detect_work_waiting', 'gauge', 'Rules, assets and subjects to be looked at again; 100000 stands for more'),
	('surfaced_detect_failures_total', 'counter', 'Looks of detectors that failed'),
	('surfaced_rules_failed', 'gauge', 'Detection rules that are not evaluated because their evaluation failed');

-- The counters in the order in which they are shown. Every series has a row, so that each begins at 0.
CREATE TABLE metric (
	series text PRIMARY KEY,
	kind text NOT NULL REFERENCES metric_kind,
	place integer NOT NULL,
	value double precision NOT NULL DEFAULT 0
);
INSERT INTO metric (series, kind, place)
SELECT kind || coalesce('{' || label || '="' || v || '"}', ''), kind, row_number() OVER ()
  FROM (VALUES
	('surfaced_alerts_total', 'event', '{raise,raise_again,acknowledge,close,clear,reopen}'::text[]),
	('surfaced_alert_deliveries_total', 'event', '{created,retried,delivered,failed,silenced}'),
	('surfaced_alert_attempts_total', 'answer', '{2xx,3xx,4xx,5xx,none,interrupted}'),
	('surfaced_alert_retries_total', NULL, '{NULL}'),
	('surfaced_sessions_created_total', NULL, '{NULL}'),
	('surfaced_sessions_ended_total', 'reason', '{closed_by_creator,closed_by_manager,expired,idle_timeout,failed,access_revoked}'),
	('surfaced_session_requeues_total', NULL, '{NULL}'),
	('surfaced_streams_opened_total', NULL, '{NULL}'),
	('surfaced_streams_refused_total', 'status', '{400,401,403,404,405,409,426,503}'),
	('surfaced_stream_bytes_total', 'direction', '{in,out}'),
	('surfaced_egress_connections_total', 'event', '{connected,denied,failed}')) AS rows (kind, label, list),
	unnest(list) AS v
UNION ALL
SELECT 'surfaced_session_start_seconds' || s, 'surfaced_session_start_seconds', 1000 + n
  FROM unnest('{"_bucket{le=\"1\"}","_bucket{le=\"2\"}","_bucket{le=\"5\"}","_bucket{le=\"10\"}","_bucket{le=\"20\"}","_bucket{le=\"60\"}","_bucket{le=\"300\"}","_bucket{le=\"+Inf\"}",_sum,_count}'::text[])
	WITH ORDINALITY AS t (s, n)
UNION ALL
SELECT format('surfaced_index_damages_total{dataset="%s"}', name), 'surfaced_index_damages_total', 2000 + n
  FROM unnest('{hosts,dns,whois,certificates,reports,open-directories}'::text[]) WITH ORDINALITY AS d (name, n)
UNION ALL
SELECT format('surfaced_imports_total{result="%s"}', v), 'surfaced_imports_total', 2100 + n
  FROM unnest('{complete,bad,failed}'::text[]) WITH ORDINALITY AS t (v, n)
UNION ALL
SELECT format('surfaced_exports_ended_total{state="%s"}', v), 'surfaced_exports_ended_total', 2200 + n
  FROM unnest('{complete,failed,cancelled}'::text[]) WITH ORDINALITY AS t (v, n)
UNION ALL
SELECT 'surfaced_detect_failures_total', 'surfaced_detect_failures_total', 2300;

-- Steps since the last metric_fold. They are rows of their own, since updates of one row wait for one another.
CREATE TABLE metric_step (
	series text NOT NULL,
	step double precision NOT NULL
);

GRANT SELECT ON metric_kind, metric, metric_step TO surfaced_admin;
