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
		decode('7fffffffffffffff', 'hex') || uuid_send('$1'),
		'{\"visibility\":\"*\",\"uuid\":\"$1\",\"revision\":$5}')" >/dev/null
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
is "$(sql "SELECT evidence ->> 'matched_by', evidence -> 'reasons' ->> 0, confidence FROM finding")" \
	'address|{"code": "report", "weight": 90}|0.9' "its evidence names how the asset was matched and the weight of each reason"
events=$(sql "SELECT count(*) FROM finding_event")
sql "UPDATE record SET doc = doc WHERE dataset = 6"
detect_idle
is "$(sql "SELECT count(*) FROM finding_event")" "$events" "a report that is written again unchanged changes no finding (C-127)"

U2=00000000-0000-4000-8000-000000000002
report $U2 NULL domain www.example.org 59
report 00000000-0000-4000-8000-000000000003 NULL domain www.example.com 90
detect_idle
is "$(found | wc -l)" 1 "an indicator below a confidence of 60 or of another name is no finding"
report $U2 NULL domain www.example.org 60
detect_idle
is "$(found | sed -n 1p)" "indicator/domain/www.example.org|open|medium|1" "a revision with a higher confidence makes the indicator a finding"

# A private report concerns the projects of its account alone.
OTHER=$(sql "INSERT INTO account (name) VALUES ('other') RETURNING uuid")
asset address 192.0.2.9
report 00000000-0000-4000-8000-000000000004 "'$OTHER'" ipv4 192.0.2.9 90
detect_idle
is "$(found | grep -c 192.0.2.9)" 0 "a private report of another account is no finding (C-131)"
report 00000000-0000-4000-8000-000000000005 "'$ACCOUNT'" ipv4 192.0.2.9 90
detect_idle
is "$(found | grep 192.0.2.9)" "indicator/ipv4/192.0.2.9|open|high|1" "an indicator of a private report of the account is a finding"
asset address 192.0.2.10
report 00000000-0000-4000-8000-000000000006 NULL ipv4 192.0.2.11 90
asset address 192.0.2.11
detect_idle
is "$(found | grep -c 192.0.2.11)" 1 "an asset that comes after its report is found"

# The account's verdict wins, and closes at once.
uuid=$(sql "SELECT uuid FROM finding WHERE finding_key LIKE '%192.0.2.9'")
sql "INSERT INTO indicator_verdict (account_uuid, type, value, disposition, reason) VALUES ('$ACCOUNT', 'ipv4', '192.0.2.9', 'ignored', 'ours')"
detect_idle
is "$(found | grep 192.0.2.9)" "indicator/ipv4/192.0.2.9|resolved|high|1" "a verdict of the account closes the finding"
sql "DELETE FROM indicator_verdict"
detect_idle
is "$(sql "SELECT uuid, status FROM finding WHERE finding_key LIKE '%192.0.2.9'")" "$uuid|open" \
	"without the verdict the same finding is open again"

# A withdrawn report clears, and not before its data are a day old.
sql "SELECT report_withdraw('$ACCOUNT', '00000000-0000-4000-8000-000000000005')" >/dev/null
detect_idle
is "$(found | grep 192.0.2.9)" "indicator/ipv4/192.0.2.9|resolved|high|1" "a withdrawn report clears its finding"

# ---- the settings of a detector ----

state() { sql "SELECT status FROM finding WHERE finding_key = 'indicator/ipv4/192.0.2.7'"; }
settings()
{
	sql "INSERT INTO detector_state (project_uuid, detector, enabled, exclude, min_severity) VALUES ('$P', '$1', $2, '$3', '$4')
		ON CONFLICT (project_uuid, detector) DO UPDATE SET (enabled, exclude, min_severity) = ($2, '$3', '$4')"
}
uuid=$(sql "SELECT uuid FROM finding WHERE finding_key LIKE '%192.0.2.7'")
settings threat-indicators true 'asset_name:192.0.2.7' info
detect_idle
is "$(state) $(found | grep -c open)" "resolved 2" "an exclude closes what passes it, and nothing else (C-166)"
sql "UPDATE record SET doc = doc WHERE dataset = 6"
detect_idle
is "$(state)" resolved "what is excluded stays closed at later passes (C-166)"
asset address 192.0.2.12
settings threat-indicators true 'asset_name:192.0.2.7 OR asset_name:192.0.2.12' info
report 00000000-0000-4000-8000-000000000007 NULL ipv4 192.0.2.12 90
detect_idle
is "$(found | grep -c 192.0.2.12)" 0 "what is excluded is not stored (C-166)"
settings threat-indicators true '' info
detect_idle
is "$(sql "SELECT uuid, status FROM finding WHERE finding_key LIKE '%192.0.2.7'")" "$uuid|open" \
	"lifting an exclude opens the same finding (C-166)"
is "$(found | grep -c 192.0.2.12)" 1 "lifting an exclude finds what was never stored (C-166)"
settings threat-indicators true '' high
detect_idle
is "$(sql "SELECT status FROM finding WHERE severity = 'medium'") $(state)" "resolved open" \
	"min_severity closes what is less severe"
settings threat-indicators false '' info
report 00000000-0000-4000-8000-000000000008 NULL ipv4 192.0.2.10 90
sql "UPDATE report SET status = 'withdrawn' WHERE uuid = '$U1'; UPDATE record SET doc = '', gone = true WHERE dataset = 6 AND substr(key, 9) = uuid_send('$U1')"
detect_idle
is "$(found | grep -c 192.0.2.10) $(state) $(sql "SELECT count(*) FROM detector_work")" "0 open 0" \
	"a detector that is disabled finds nothing and clears nothing (C-168)"
settings threat-indicators true '' info
detect_idle
is "$(found | grep -c 192.0.2.10) $(state)" "1 resolved" "a detector that is enabled again looks at everything"
is "$(sql "SELECT count(*) > 0 FROM audit WHERE action = 'detector_state.change'")" t "changes of settings are audited"
