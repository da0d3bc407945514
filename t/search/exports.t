#!/bin/sh
# SPDX-License-Identifier: ISC
# Exports of every dataset from the request to the file (C-413, C-414): formats, ranges, states, rights, quotas, expiry.
. t/lib.sh
world_start
export_start
export DIR="$W"
world_env

t/helper/fill-world "$W" --documents 300 --seed "${SEED:-1}" 2>"$W/fill.err" || diag "$(cat "$W/fill.err")"

state_is()
{
	api GET "/search/exports/$1"
	[ "$(field .export.state)" = "$2" ]
}

# complete UUID: waits for the end of an export, and shows why it has another one.
complete()
{
	world_until 60 ended "$1"
	[ "$(field .export.state)" = complete ] || diag "$BODY" "$(tail -3 "$W/log/surfaced-export.log")"
}

ended()
{
	api GET "/search/exports/$1"
	case $(field .export.state) in
	queued | running) return 1 ;;
	esac
}

# content UUID [OPTION...]: into W/content; sets STATUS, and HEADERS as api does.
content()
{
	_uuid=$1
	shift
	# shellcheck disable=SC2086 # CURL is a list of options
	STATUS=$(curl -sS $CURL -H "X-API-Key: ${key:-$KEY}" -o "$W/content" -D "$W/content.head" -w '%{http_code}' "$@" \
		"$BASE_URL/search/exports/$_uuid/content")
}

head_of()
{
	sed -n "s/^$1: *//Ip" "$W/content.head" | tr -d '\r'
}

# export_new DATASET BODY: sets UUID.
export_new()
{
	api POST "/search/$1/exports" "$2"
	UUID=$(field .export.uuid)
}

# ---- every dataset ----

# pages DATASET QUERY: the documents of all pages, a line each.
pages()
{
	_cursor=''
	while :; do
		api GET "/search/$1?limit=1000&q=$2$_cursor"
		printf '%s' "$BODY" | jq -c --arg m "$(printf %s "$1" | tr - _)" \
			'.[$m][] | del(.matched_services, .matched_indicators, .matched_files)'
		_cursor=$(field '.next_cursor // ""')
		[ -n "$_cursor" ] || return 0
		_cursor="&cursor=$_cursor"
	done
}

for dataset in hosts services dns whois certificates reports open-directories; do
	export_new "$dataset" '{"query":"","compression":"zstd"}'
	is "$STATUS $(field .export.dataset)" "202 $dataset" "an export of $dataset is accepted (C-413)"
	complete "$UUID"
	total=$(field .export.total)
	sum=$(field .export.sha256)
	content "$UUID"
	is "$STATUS $(sha256sum <"$W/content" | cut -d' ' -f1)" "200 $sum" "the file of $dataset has the sha256 of its record (C-413)"
	zstd -dc "$W/content" >"$W/lines" 2>/dev/null
	is "$(head -1 "$W/lines" | jq -c '[.export.dataset, .export.total]') $(tail -1 "$W/lines")" \
		"[\"$dataset\",$total] {\"end\":{\"records\":$total,\"gone\":0,\"resumed\":0,\"complete\":true}}" \
		"the first line of $dataset describes the export and the last one says that it is whole (C-413)"
	sed '1d;$d' "$W/lines" >"$W/records"
	pages "$dataset" '' >"$W/pages"
	ok "the records of $dataset are the documents of all pages, in their order and spelling (C-414)" cmp -s "$W/records" "$W/pages"
	isnt "$(wc -l <"$W/records")" 0 "the export of $dataset has records"
done
unlike "$(zstd -dc "$W"/exports/*.zst | grep '"threat_actors\|"title"' | head -300)" '"body":' "no export has a hidden member (C-414)"
