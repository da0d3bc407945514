#!/bin/sh
# SPDX-License-Identifier: ISC
# The detector threat-indicators, and by it the frame of the detectors.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start

found() { sql "SELECT finding_key, status, severity, evidence ->> 'report_count' FROM finding WHERE detector = 'threat-indicators' ORDER BY 1"; }

# report UUID ACCOUNT TYPE VALUE CONFIDENCE [PUBLISHED]: a report with one indicator, and its document.
report()
{
	sql "SELECT report_put(jsonb_build_object('uuid', '$1', 'account_uuid', $2, 'source_kind', 'native', 'source_ref', '$1',
		'status', 'published', 'revision', 1, 'title', 'Report', 'threat_actors', '{}'::text[], 'malware_families', '{}'::text[],
		'sectors', '{}'::text[], 'techniques', '{}'::text[], 'cves', '{}'::text[], 'countries', '{}'::text[], 'tags', '{}'::text[],
		'imported_at', now(), 'updated_at', now(), 'first_seen', '${6:-2026-11-01}', 'last_seen', '${6:-2026-11-01}', 'truncated', false,
		'published_at', '${6:-2026-11-01}', 'digest', '\\x' || repeat('00', 32)), NULL,
		jsonb_build_array(jsonb_build_object('uuid', gen_random_uuid(), 'type', '$3', 'value', '$4', 'disposition', 'indicator',
			'confidence', $5, 'occurrences', 1, 'defanged', false, 'labels', '{}'::text[])), '[]',
		decode('0000000000000000', 'hex') || uuid_send('$1'),
		'{\"visibility\":\"*\",\"uuid\":\"$1\"}')" >/dev/null
}
asset() { sql "INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at) VALUES ('$P', '$1', '$2', now(), now())"; }

U1=00000000-0000-4000-8000-000000000001
asset address 192.0.2.7
asset host www.example.org
detect_start
detect_idle
report $U1 NULL ipv4 192.0.2.7 90
detect_idle
is "$(found)" "indicator/ipv4/192.0.2.7|open|high|1" "an indicator that equals an address of the inventory is a finding"
