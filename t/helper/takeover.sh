# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Scenarios of dangling DNS records (t/detect/data/takeover.ndjson), evaluated by surfaced-detect in one world.
#
#   a line   {"scenario", "project": 1 or 2, "host", "expect": ["KIND SEVERITY CONFIDENCE TARGET", ...], "assets": [[KIND, NAME,
#            ALLOCATED], ...], "dns", "whois", "hosts": documents, "captures", "prefixes": [[PREFIX, PROVIDER, REGION], ...],
#            "takeovers": members of fingerprints.json}
#   times    "@38" is a day; it is day 40 now

# takeover_times FILTER FILE: what the jq filter takes from each line, with times.
takeover_times()
{
	jq -c --argjson base "$(($(date +%s) - 40 * 86400 + 3600))" "$1"' | walk(if type == "string" and test("^@[0-9]+$")
		then (.[1:] | tonumber) * 86400 + $base | todate else . end)' "$2"
}

# takeover_scenarios FILE: writes those that can be evaluated to SCENARIOS; pages need the table capture.
takeover_scenarios()
{
	SCENARIOS=$W/tmp/scenarios.ndjson
	if [ -n "$(sql "SELECT to_regclass('capture')")" ]; then
		cat "$1" >"$SCENARIOS"
	else
		jq -c 'select(has("captures") | not)' "$1" >"$SCENARIOS"
	fi
}

# takeover_load FILE: stores the world of all scenarios. The second project is PROJECT_B.
takeover_load()
{
	PROJECT_B=$(ctl --json projects create --account "$ACCOUNT" Allocations | jq -er .project.uuid)
	jq -s '[.[].takeovers // [] | .[]] | if . == [] then [{service: "None", cname: [], vulnerable: false}] else . end' "$1" >"$W/tmp/takeovers.json"
	ctl import takeovers "$W/tmp/takeovers.json" >/dev/null
	jq -s '{prefixes: [.[].prefixes // [] | .[] | {ip_prefix: .[0], region: .[2], service: "EC2"}]}' "$1" >"$W/tmp/prefixes.json"
	ctl import cloud-prefixes "$W/tmp/prefixes.json" >/dev/null
	for _n in 1 2; do
		jq -c --argjson n $_n 'select(.project == $n) | .assets[] | {kind: .[0], name: .[1]} +
			if .[2] then {metadata: {allocated: true}} else {} end' "$1" |
			ctl import assets --project "$([ $_n = 1 ] && echo "$P" || echo "$PROJECT_B")" - >/dev/null
	done
	takeover_times '.captures // [] | .[]' "$1" | while read -r _c; do
		sql "INSERT INTO capture (project_uuid, url, hostname, takeover_providers, captured_at)
			SELECT '$P', 'https://' || (c ->> 'hostname') || '/' || (c ->> 'captured_at'), c ->> 'hostname', array_remove(ARRAY[c ->> 'takeover_provider'], NULL),
			       (c ->> 'captured_at')::timestamptz FROM (SELECT \$c\$$_c\$c\$::jsonb) AS x(c)"
	done
	takeover_times '.whois // [] | .[]' "$1" | ctl import whois --format ndjson - >/dev/null
	takeover_times '.hosts // [] | .[]' "$1" | ctl import hosts --format ndjson --no-enrich - >/dev/null
	takeover_times '.dns // [] | .[]' "$1" | ctl import dns --format ndjson - >/dev/null
}

# takeover_judge FILE: prints each scenario whose findings differ. Sets RIGHT and ALL.
takeover_judge()
{
	ALL=0 RIGHT=0
	sql "SELECT jsonb_object_agg(host, f) FROM (SELECT host, jsonb_agg(concat_ws(' ', kind, severity, to_char(confidence, '0.00FM'), target)
		ORDER BY kind, target) AS f FROM dangling_dns WHERE status = 'open' GROUP BY 1) AS x" >"$W/tmp/found.json"
	jq -c --slurpfile found "$W/tmp/found.json" '[.scenario, .host, (.expect | sort), (($found[0] // {})[.host] // [] | sort)] |
		if .[2] == .[3] then "right" else "# \(.[0]) (\(.[1])): expected \(.[2]), found \(.[3])" end' -r "$1" >"$W/tmp/judged"
	ALL=$(wc -l <"$W/tmp/judged")
	RIGHT=$(grep -c '^right$' "$W/tmp/judged")
	grep -v '^right$' "$W/tmp/judged"
}
