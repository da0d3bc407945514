#!/bin/sh
# SPDX-License-Identifier: ISC
# The log in the systemd journal: fields of entries; log_requests; the request id in the log of nginx.
. t/lib.sh

(world_as unshare --user --map-root-user --mount true) 2>/dev/null || skip_all "user namespaces are forbidden here"
WORLD_CONF='log_requests = failed'
WORLD_SITE='access_log log/access.log surfaced;'
pg_start
install -m 755 t/helper/journal.py "$W/run/journal.py"
entries=$W/log/entries
cat >"$W/run/journaled" <<-END
	#!/bin/sh
	exec unshare --user --map-root-user --mount /usr/bin/python3 "$W/run/journal.py" "$entries" "$BIN/surfaced" "\$@"
END
chmod 755 "$W/run/journaled"
world_meter_start
WORLD_PROGRAM=$W/run/journaled
api_start
web_start ''

# entry FILTER: the entries that the filter of jq selects, as one line each.
entry()
{
	jq -rc "$1" "$entries"
}

has_entry()
{
	[ -n "$(entry "$1")" ]
}

api GET /access/self
is "$STATUS" 200 "the API answers while its log goes to the journal"
api GET /nowhere
id=$(field .error.request_id)
ok "the journal has an entry of the refused request" world_until 20 has_entry "select(.SURFACED_REQ == \"$id\")"
is "$(entry "select(.SURFACED_REQ == \"$id\") | [.SURFACED_EVENT, .SURFACED_STATUS, .SURFACED_CODE, .PRIORITY] | join(\" \")")" \
	"done 404 not_found 6" "the values of the line are fields of the entry"
like "$(entry "select(.SURFACED_REQ == \"$id\") | .MESSAGE")" "^done req=$id op=- key=- status=404 code=not_found stage=route us=[0-9]+\$" \
	"the message is the line without its priority prefix"
is "$(entry 'select(.SURFACED_STATUS == "200")')" "" "log_requests = failed leaves out answers below 400"
is "$(entry 'select(.SYSLOG_IDENTIFIER != "surfaced") | .SYSLOG_IDENTIFIER')" "" "each entry names the program"
is "$(grep -c ' status=' "$W/log/surfaced.log")" 0 "no line goes to standard error as well"

# The log of nginx has the request id and the prefix of the key, and neither the key nor the query string.
api GET '/search/hosts?q=secret-query-1'
prefix=$(printf %.12s "$KEY")
api GET '/nowhere?x=secret-query-2'
id=$(field .error.request_id)
ok "nginx logs the request id of the answer" world_until 20 grep -q " $id " "$W/log/access.log"
like "$(grep " $id " "$W/log/access.log")" '"GET /api/v1/nowhere HTTP/2.0" 404 ' "nginx logs the path and the status"
ok "nginx logs the prefix of the key" grep -q " $prefix " "$W/log/access.log"
is "$(grep -cE "$KEY|secret-query" "$W/log/access.log")" 0 "nginx logs neither the key nor the query string"
key="$KEY" api GET "/access/self" -H 'X-Surfaced: none' --http1.1
key=none api GET /access/self -H 'X-API-Key: no key at all'
id=$(field .error.request_id)
ok "nginx logs a refused key" world_until 20 grep -q " $id " "$W/log/access.log"
like "$(grep " $id " "$W/log/access.log")" " $id - " "nginx logs no prefix of what is no key"
