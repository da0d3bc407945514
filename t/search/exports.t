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

# completed UUID: waits for the end of an export, and shows why it has another one.
completed()
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
	: >"$W/content"
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
	completed "$UUID"
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

# ---- formats ----

for compression in gzip identity; do
	export_new dns "{\"query\":\"record_type:A\",\"compression\":\"$compression\",\"fields\":[\"host\",\"answer\"]}"
	completed "$UUID"
	content "$UUID"
	case $compression in
	gzip) gzip -dc "$W/content" >"$W/lines" && type=application/gzip ;;
	identity) cp "$W/content" "$W/lines" && type=application/x-ndjson ;;
	esac
	is "$(sed '1d;$d' "$W/lines" | jq -r 'keys[]' | sort -u | xargs) $(head_of Content-Type)" "answer host $type" \
		"an export with $compression has the chosen members alone (C-414)"
done

cat >"$W/cells.py" <<'END'
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8")))
print(json.dumps(rows[0]))
docs = [json.loads(line) for line in open(sys.argv[2])]
def cell(doc, path):
    first, _, rest = path.partition(".")
    value = doc.get(first)
    if value is None or not rest:
        return value
    return [item.get(rest) for item in value] if isinstance(value, list) else cell(value, rest)
def text(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return json.dumps(value)
bad = 0
for row, doc in zip(rows[1:], docs):
    for name, got in zip(rows[0], row):
        want = cell(doc, name)
        same = json.loads(got) == want if isinstance(want, (list, dict)) else got == text(want)
        bad += not same
        if not same and bad < 4:
            print(name, repr(got), repr(want), file=sys.stderr)
print(len(rows) - 1 == len(docs), bad)
END
export_new hosts '{"query":"","format":"csv","compression":"identity","fields":["ip","services.product","services.port","tags","country_code","asn"]}'
completed "$UUID"
content "$UUID"
pages hosts '' >"$W/pages"
is "$(python3 "$W/cells.py" "$W/content" "$W/pages" 2>&1)" \
	'["ip", "services.product", "services.port", "tags", "country_code", "asn"]
True 0' "the cells of csv are the members of the documents, and lists of one object are as long as one another"
is "$(head_of Content-Type) $(head_of Content-Disposition)" \
	"text/csv; charset=utf-8 attachment; filename=\"hosts-$UUID.csv\"" "a csv file says what it is and how to name it"
is "$(tail -c 2 "$W/content" | od -An -tx1 | tr -d ' ')" 0d0a "lines of csv end with CR LF (C-884)"
export_new services '{"query":"","format":"csv","compression":"identity","fields":["ip","port","city","host.country_code"]}'
completed "$UUID"
content "$UUID"
pages services '' | jq -r '[.ip, .port, .host.city // "", .host.country_code // ""] | join(",")' >"$W/wanted"
is "$(sed 1d "$W/content" | tr -d '\r"' | cmp - "$W/wanted" 2>&1)" "" "columns of services have the place of the host"

sql "INSERT INTO record (dataset, key, doc) VALUES (4, '\\x6578616d706c6501666f726d756c6101'::bytea,
	'{\"domain\":\"formula.example\",\"whois\":{\"registrar\":\"=HYPERLINK(\\\"http://x\\\")\",\"registrant\":{\"organisation\":\"+1, \\\"quoted\\\"\"}}}')"
found()
{
	api GET "/search/whois/count?q=domain:formula.example"
	[ "$(field .count)" = 1 ]
}
world_until 60 found
export_new whois '{"query":"domain:formula.example","format":"csv","compression":"identity","fields":["domain","whois.registrar","whois.registrant.organisation"]}'
completed "$UUID"
content "$UUID"
is "$(sed -n 2p "$W/content" | tr -d '\r')" "formula.example,\"'=HYPERLINK(\"\"http://x\"\")\",\"'+1, \"\"quoted\"\"\"" \
	"a cell of csv that a spreadsheet would calculate begins with an apostrophe (C-884)"

# ---- the file over HTTP ----

export_new dns '{"query":""}'
completed "$UUID"
sum=$(field .export.sha256) bytes=$(field .export.bytes)
content "$UUID"
is "$(head_of ETag) $(head_of Content-Length) $(wc -c <"$W/content") $(head_of Cache-Control) $(head_of Accept-Ranges)" \
	"\"$sum\" $bytes $bytes no-store bytes" "the file has its sha256 as ETag, its length, and takes ranges (C-413)"
like "$(head_of X-Request-Id)$(head_of RateLimit-Policy)" '^[0-9a-f]{32}"key"' "the file has the headers of every answer"
cp "$W/content" "$W/whole"
content "$UUID" -r 0-99
is "$STATUS $(wc -c <"$W/content") $(head_of Content-Range)" "206 100 bytes 0-99/$bytes" "a range of the file is answered with 206 (C-413)"
cp "$W/content" "$W/parts"
content "$UUID" -r 100- -H "If-Range: \"$sum\""
cat "$W/content" >>"$W/parts"
ok "a download goes on with Range and If-Range (C-413)" cmp -s "$W/parts" "$W/whole"
content "$UUID" -r 100- -H 'If-Range: "other"'
is "$STATUS" 200 "If-Range of another file gets the whole file"
content "$UUID" -H "If-None-Match: \"$sum\""
is "$STATUS $(wc -c <"$W/content" 2>/dev/null)" "304 0" "a client that has the file gets 304"
content "$UUID" -r 99999999999-
is "$STATUS $(jq -r .error.code "$W/content")" "416 invalid_request" "a range behind the end is an envelope"
api GET "/../_surfaced_export/$UUID.ndjson.zst"
is "$STATUS" 404 "the folder of the files cannot be reached from outside"

# ---- the record ----

api GET "/search/exports/$UUID"
is "$(field '.export | keys_unsorted | join(" ")')" "uuid dataset query fields format compression state generation total written gone bytes sha256 created_at started_at finished_at expires_at error" \
	"an export has its members in the order of openapi.json"
is "$(field '[.export.written == .export.total, .export.error, (.export.expires_at | sub("\\..*Z"; "Z") | fromdate) - (.export.finished_at | sub("\\..*Z"; "Z") | fromdate)] | tostring')" \
	"[true,null,604800]" "a complete export is kept for seven days"
api GET "/search/exports?limit=2"
first=$(field .next_cursor)
is "$STATUS $(field '.exports | length') $(field .exports[0].uuid) $(field .has_more)" "200 2 $UUID true" "exports are listed, newest first"
api GET "/search/exports?limit=2&cursor=$first"
is "$STATUS $(field '.exports | length')" "200 2" "the list has a next page"
api GET "/search/exports?limit=2&state=complete&cursor=$first"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of other filters is refused"
api GET "/search/exports?dataset=services"
is "$(field '[.exports[].dataset] | unique | join(" ")')" services "exports are listed by dataset"
api GET "/search/exports?state=lost"
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "an unknown state is refused"

other=$(key_new --scope search.view)
for what in "GET /search/exports/$UUID" "DELETE /search/exports/$UUID" "GET /search/exports/$UUID/content"; do
	# shellcheck disable=SC2086 # method and path
	key=$other api $what
	is "$STATUS $(field .error.code)" "404 not_found" "${what%% *} of an export of another key is 404 (C-413): ${what##*/}"
done
api GET "/search/exports/00000000-0000-4000-8000-000000000000"
is "$STATUS $(field .error.code)" "404 not_found" "an unknown export is 404"
api GET /search/exports/7
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a malformed uuid is 400 (C-020)"

# ---- refusals ----

refused()
{
	api POST "/search/$1/exports" "$2"
	is "$STATUS $(field .error.code)" "$3" "$4"
}
refused hosts '{}' "400 invalid_request" "an export needs a query"
refused hosts '{"query":null}' "400 invalid_request" "a query that is null is refused (C-028)"
refused hosts '{"query":"("}' "400 invalid_search_query" "a query that does not parse is refused"
refused hosts '{"query":"","format":"xlsx"}' "400 invalid_request" "an unknown format is refused"
refused hosts '{"query":"","compression":"xz"}' "400 invalid_request" "an unknown compression is refused"
refused hosts '{"query":"","format":"csv"}' "400 invalid_request" "csv without columns is refused (C-884)"
refused hosts '{"query":"","fields":[]}' "400 invalid_request" "an empty list of fields is refused"
refused hosts '{"query":"","fields":["ip","nose"]}' "400 invalid_search_parameter" "an unknown field is refused (C-414)"
like "$(field .error.message)" nose "the refusal names the field (C-414)"
refused hosts '{"query":"","fields":["ip,asn"]}' "400 invalid_search_parameter" "two names in one are refused"
refused hosts '{"query":"","fields":["ip","ip"]}' "400 invalid_search_parameter" "a repeated field is refused"
refused reports '{"query":"","fields":["body"]}' "400 invalid_search_parameter" "a hidden member cannot be exported (C-414)"
key=$(key_new --scope search.aggregate) refused hosts '{"query":""}' "403 permission_denied" "an export needs search.view"
key=$(key_new --scope search.view) refused reports '{"query":""}' "403 permission_denied" "an export of reports needs reports.view"
key=none refused hosts '{"query":"("}' "401 unauthorized" "an export without a key is refused before its query is read"

# ---- Idempotency-Key ----

api POST /search/dns/exports '{"query":"ttl:60"}' -H 'Idempotency-Key: one'
first=$(field .export.uuid)
like "$HEADERS" "^[Ll]ocation: /api/v1/search/exports/$first" "Location names the export"
api POST /search/dns/exports '{"query":"ttl:60"}' -H 'Idempotency-Key: one'
is "$STATUS $(field .export.uuid)" "202 $first" "a repeated request with one Idempotency-Key is one export"
like "$HEADERS" '^[Ii]dempotency-[Rr]eplayed: true' "the repeat is marked"
api POST /search/dns/exports '{"query":"ttl:61"}' -H 'Idempotency-Key: one'
is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" "an Idempotency-Key of another request is refused"
completed "$first"

# ---- states that only a stopped daemon shows, limits, quotas ----

charged()
{
	sql "SELECT sum(charged) FROM export_month"
}

world_kill surfaced-export
sql "SELECT count(*) FROM search_export WHERE state IN ('queued', 'running')" >"$W/waiting"
is "$(cat "$W/waiting")" 0 "no export of the tests above waits"
before=$(charged)
export_new dns '{"query":""}'
queued=$UUID total=$(field .export.total)
is "$STATUS $(field .export.state) $(($(charged) - before))" "202 queued $total" "a new export is queued and has taken its records from the quota"
api GET "/search/exports/$queued/content"
is "$STATUS $(field .error.code)" "409 export_not_ready" "the file of an export that is not complete is 409"
api POST /search/dns/exports '{"query":"ttl:60"}'
second=$(field .export.uuid)
api POST /search/dns/exports '{"query":"ttl:60"}'
is "$STATUS $(field .error.code)" "429 export_limit_exceeded" "a key has two unfinished exports at most (C-885)"
like "$HEADERS" '^[Rr]etry-[Aa]fter: [0-9]' "the refusal says when to ask again"
api DELETE "/search/exports/$second"
is "$STATUS $(field .export.state) $(field .export.error)" "200 cancelled null" "a queued export is cancelled"
api DELETE "/search/exports/$second"
is "$STATUS $(field .export.state)" "200 cancelled" "cancelling again changes nothing"
api DELETE "/search/exports/$queued"
is "$(charged)" "$before" "cancelled exports give their records back to the quota (C-413)"
sql "UPDATE account SET export_records = $before + $total - 1"
refused dns '{"query":""}' "429 account_api_quota_exceeded" "records beyond the quota of the month are refused (C-885)"
is "$(charged)" "$before" "a refused export costs no records (C-885)"
sql "UPDATE account SET export_records = NULL"

# A key that loses its right while its export waits.
scoped=$(key_new --scope search.view)
key=$scoped api POST /search/dns/exports '{"query":""}'
lost=$(field .export.uuid)
ctl keys revoke "$(printf %s "$scoped" | cut -d_ -f1,2)" >/dev/null
world_export_start
revoked()
{
	[ "$(sql "SELECT state || ' ' || error FROM search_export WHERE uuid = '$lost'")" = "cancelled access_revoked" ]
}
world_until 30 revoked
result $? "an export whose key was revoked is cancelled (C-886)"
is "$(charged)" "$before" "an export whose key was revoked gives its records back"

# ---- removal ----

export_new dns '{"query":""}'
completed "$UUID"
file=$(ls "$W/exports/$UUID".*)
api DELETE "/search/exports/$UUID"
is "$STATUS $(field .export.state)" "200 cancelled" "DELETE cancels a complete export, too"
gone()
{
	! ls "$W/exports/$1".* >/dev/null 2>&1
}
world_until 30 gone "$UUID"
result $? "the file of a cancelled export is removed (C-413): ${file##*.}"
content "$UUID"
is "$STATUS $(jq -r .error.code "$W/content")" "409 export_not_ready" "a cancelled export has no content"

export_new dns '{"query":"ttl:60"}'
completed "$UUID"
sql "UPDATE search_export SET expires_at = now() WHERE uuid = '$UUID'"
world_until 30 state_is "$UUID" expired
result $? "a complete export expires at its time"
world_until 30 gone "$UUID"
result $? "the file of an expired export is removed (C-886)"
orphan=11111111-1111-4111-8111-111111111111
touch "$W/exports/$orphan.part" "$W/exports/other"
world_until 30 gone "$orphan"
result $? "a file without an export is removed"
ok "a file of another name stays" test -f "$W/exports/other"

# ---- a full disk ----

sed -i 's/^export_reserve = .*/export_reserve = 1099511627776/' "$W/etc/surfaced-export.conf"
world_kill surfaced-export
world_export_start
before=$(charged)
export_new dns '{"query":""}'
world_until 30 ended "$UUID"
is "$(field .export.state) $(field .export.error) $(charged)" "failed disk_full $before" "an export fails below export_reserve and gives its records back (C-413)"
ok "a failed export leaves no file" gone "$UUID"
sed -i 's/^export_reserve = .*/export_reserve = 0/' "$W/etc/surfaced-export.conf"

is "$(sql "SELECT count(*) FROM audit WHERE action IN ('search_export.create', 'search_export.cancelled') AND actor LIKE 'key:sfk_%' AND request_id IS NOT NULL" |
	awk '{ print ($1 > 10) }')" 1 "exports and their cancellations are in the audit log with their key"

# ---- surfacectl ----

like "$(ctl --wide exports list --account "$ACCOUNT" --state failed)" "$UUID" "surfacectl exports list shows the exports of an account by state"
ctl search export services 'port:22' --fields ip,port,city >"$W/out" 2>"$W/err"
is "$? $(head -1 "$W/out" | jq -r 'keys_unsorted | join(" ")') $(wc -l <"$W/out")" "0 ip port host $(cut -d' ' -f1 "$W/err")" \
	"surfacectl search export writes the chosen members of all matches to standard output"
ctl search export hosts '' >"$W/out" 2>/dev/null
pages hosts '' >"$W/pages"
ok "surfacectl search export writes the documents of all pages (C-414)" cmp -s "$W/out" "$W/pages"
ctl search export dns 'record_type:A' --format csv --fields host,answer 2>/dev/null | head -1 | tr -d '\r' >"$W/out"
is "$(cat "$W/out")" host,answer "surfacectl search export writes CSV"
ctl search export dns '(' >/dev/null 2>"$W/err"
is "$? $(cat "$W/err")" "2 $(cat "$W/err")" "surfacectl search export refuses a query that does not parse"
world_kill surfaced-export
world_export_start
api POST /search/dns/exports '{"query":""}'
UUID=$(field .export.uuid)
completed "$UUID"
is "$(ctl --json exports cancel "$UUID" | jq -r .export.state)" cancelled "surfacectl exports cancel cancels an export"
is "$(ctl --json limits set --account "$ACCOUNT" --export-records 5 | jq -c '[.limits.export_records, .limits.exported > 5]')" "[5,true]" \
	"surfacectl limits sets the records that an account may export, and shows those of this month"
refused dns '{"query":""}' "429 account_api_quota_exceeded" "the records that surfacectl limits has set are enforced"
