#!/bin/sh
# SPDX-License-Identifier: ISC
# Exports of datasets that ClickHouse answers have the documents of the pages (C-413, C-419).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
ch_start 1
for dataset in hosts dns whois certificates reports open_directories; do
	WORLD_CONF="$WORLD_CONF
engine_$dataset = clickhouse"
done
world_conf
world_start
export_start
world_env
t/helper/fill-world "$W" --documents 200 --seed "${SEED:-1}" 2>"$W/fill.err" || diag "$(cat "$W/fill.err")"

ended()
{
	api GET "/search/exports/$UUID"
	[ "$(field '.export.finished_at != null')" = true ]
}

for dataset in hosts services dns whois certificates reports open-directories; do
	member=$(printf %s "$dataset" | tr - _)
	api GET "/search/$dataset?limit=1000"
	printf '%s' "$BODY" | jq -c --arg m "$member" '.[$m][] | del(.matched_services, .matched_indicators, .matched_files)' >"$W/pages"
	api POST "/search/$dataset/exports" '{"query":"","compression":"identity"}'
	UUID=$(field .export.uuid)
	world_until 60 ended || diag "$BODY" "$(tail -3 "$W/log/surfaced-export.log")"
	head -n "$(($(wc -l <"$W/pages") + 1))" "$W/exports/$UUID.ndjson" | sed 1d >"$W/records"
	is "$(field .export.state)" complete "an export of $dataset by ClickHouse is complete"
	isnt "$(wc -l <"$W/pages")" 0 "a page of $dataset by ClickHouse has documents"
	ok "the records of an export of $dataset by ClickHouse are those of the pages in their order (C-914)" cmp -s "$W/records" "$W/pages"
done
ctl search export hosts '' 2>"$W/err" >"$W/out"
is "$? $(wc -l <"$W/out")" "0 $(cut -d' ' -f1 "$W/err")" "surfacectl search export asks the engine that answers the dataset"
world_ch_stop
