# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The words of stories (t/stories): each sends what a customer or an administrator sends, by HTTPS or surfacectl, and nothing
# by SQL. After t/lib.sh and t/helper/hooks.sh. api(), field() and STATUS of t/lib.sh are there, too.
#
#   story_begin                      an installation with an organisation, a project and every daemon
#   story_receiver NAME              somebody's receiver of webhooks, as a destination of the project; sets RECEIVER
#   story_rule QUERY RECEIVER...     an alert rule: findings that match QUERY go to these destinations
#   story_report TITLE               adds the text on the standard input as a report of the organisation; sets REPORT
#   story_asset KIND NAME            imports an asset of the project
#   story_comes TITLE WANTED COMMAND...
#                                    waits until the command prints WANTED; a step that does not come ends the story
#
# Words for `is` and story_comes:
#
#   story_indicators                 the indicators of REPORT: type value confidence
#   story_finding NAME               the finding about the asset: type status severity
#   story_alert NAME                 the alert about the asset: state severity
#   story_webhook RECEIVER NAME      what the receiver got about the asset: event, title, "signed" with a right signature

story_begin()
{
	hooks_start
	world_start
	detect_start
	hooks_alert
}

story_comes()
{
	_title=$1 _wanted=$2 _end=$(($(date +%s) + 120))
	shift 2
	while _got=$("$@") && [ "$_got" != "$_wanted" ] && [ "$(date +%s)" -lt "$_end" ]; do
		sleep 0.1
	done
	is "$_got" "$_wanted" "$_title" || exit 1
}

# story_api METHOD PATH [BODY]: a request that must succeed.
story_api()
{
	api "$@"
	case $STATUS in
	2*) return 0 ;;
	esac
	diag "$1 $2: $STATUS $BODY"
	return 1
}

# ---- what people do ----

story_receiver()
{
	story_api POST "/projects/$P/alerting/destinations" "{\"name\":\"$1\",\"url\":\"https://hooks.example.com/ok/$1\"}" || return
	field .destination.secret >"$H/secrets/$1"
	RECEIVER=$(field .destination.uuid)
	export RECEIVER
}

story_rule()
{
	_query=$1
	shift
	_to=$(printf '%s\n' "$@" | jq -R . | jq -sc .)
	story_api POST "/projects/$P/alerting/rules" \
		"$(jq -nc --arg q "$_query" --argjson to "$_to" '{name: "On call", source: "finding", query: $q, destination_uuids: $to}')"
}

story_report()
{
	story_api POST /reports "$(jq -Rsc --arg t "$1" '{title: $t, text: .}')" || return
	REPORT=$(field .report.uuid)
	export REPORT
}

story_asset()
{
	jq -nc --arg k "$1" --arg n "$2" '{kind: $k, name: $n}' >"$W/tmp/asset.ndjson"
	ctl import assets --project "$P" "$W/tmp/asset.ndjson" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}

# ---- what people see ----

story_indicators()
{
	story_api GET "/reports/$REPORT/indicators"
	field '.indicators[] | "\(.type) \(.value) \(.confidence)"'
}

story_finding()
{
	_asset=$(story_api GET "/projects/$P/esi/assets?name=$1" && field '.assets[0].uuid // ""')
	[ -n "$_asset" ] || return 0
	story_api GET "/projects/$P/esi/findings?asset_uuid=$_asset"
	field '.findings[] | "\(.finding_type) \(.status) \(.severity)"'
}

story_alert()
{
	story_api GET "/projects/$P/alerting/alerts"
	field ".alerts[] | select(.title | contains(\"$1\")) | \"\\(.state) \\(.severity)\""
}

story_webhook()
{
	[ ! -f "$H/got" ] || hooks_got "map(select(.name == \"$1\") | . + {said: .body | fromjson})[]
		| select(.said.data.finding.asset_name == \"$2\")
		| \"\\(.said.type) \\(.said.data.alert.title), \\(if .signed then \"signed\" else \"unsigned\" end)\""
}
