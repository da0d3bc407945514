#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import open-directories: our own documents, and listings of the nginx of this host (C-404).
. t/lib.sh
pg_start

import() { import_records open-directories "$@"; }
show() { sql "SELECT doc FROM record WHERE dataset = 7" | jq -c "$1"; }
clear() { sql "DELETE FROM record" >/dev/null; }

# ---- our own documents ----

cat >"$W/own" <<'END'
{"url":"http://192.0.2.7:8080/x/","ip":"192.0.2.7","port":8080,"path":"/x/","files":[{"name":"b/Run.PS1","size":2000},{"name":"a","size":5,"sha256":"AB"}]}
{"host":"Files.example.org","port":443,"files":[{"name":"a.tar.gz","size":7,"modified_at":"2026-01-02T00:00:00Z"},{"name":"b"}],"last_seen":"2026-02-01T00:00:00Z"}
{"host":"files.example.org","port":443,"files":[{"name":"old"}],"last_seen":"2026-01-01T00:00:00Z"}
{"host":"files.example.org"}
{"host":"files.example.org","port":443,"colour":"red"}
END
import "$W/own"
is "$STATUS $OUT" "1 5 read, 1 new, 0 changed, 0 unchanged, 3 bad, 0 skipped" "our own documents are strict (C-404)"
is "$ERR" "$W/own:1: files[1].sha256: is no SHA-256: 64 hexadecimal digits
$W/own:4: port: is missing
$W/own:5: colour: is no member of this format" "each bad document is reported with its line (C-404)"
is "$(show .)" '{"port":443,"host":"files.example.org","path":"/","file_count":2,"total_size":7,"first_seen":"2026-01-01T00:00:00.000000Z","last_seen":"2026-02-01T00:00:00.000000Z","files":[{"name":"a.tar.gz","extension":"gz","size":7,"modified_at":"2026-01-02T00:00:00.000000Z"},{"name":"b"}]}' \
	"the files of the later listing replace those of the earlier one, whichever comes first (C-929)"
import "$W/own"
is "$OUT" "5 read, 0 new, 0 changed, 1 unchanged, 3 bad, 0 skipped" "the same documents twice change nothing (C-404)"
clear

# The path is that of the URL where it is not named.
cat >"$W/paths" <<'END'
{"url":"http://www.example.com/backup/?C=M;O=D#top","host":"www.example.com","port":80}
{"url":"http://www.example.org","host":"www.example.org","port":80}
{"url":"http://www.example.net/a/","host":"www.example.net","port":80,"path":"/b/"}
END
import "$W/paths"
is "$STATUS $(show '[.host, .path]' | sort | tr '\n' ' ')" '0 ["www.example.com","/backup/"] ["www.example.net","/b/"] ["www.example.org","/"] ' \
	"a directory without a path has that of its URL"
import "$W/paths"
is "$OUT" "3 read, 0 new, 0 changed, 3 unchanged, 0 bad, 0 skipped" "the same directories twice change nothing (C-404)"
clear

# ---- nginx ----

mkdir -p "$W/site/pub/sub" "$W/site/pub/empty"
printf 12345 >"$W/site/pub/Run.PS1"
printf 1 >"$W/site/pub/a \"quoted\" \\ name.txt"
printf '' >"$W/site/pub/grün"
touch -d '2026-02-28T23:59:58Z' "$W/site/pub/Run.PS1"
chmod 755 "$W" "$W/site" "$W/site/pub" "$W/site/pub/sub" "$W/site/pub/empty"
cat >"$W/nginx.conf" <<END
daemon off; master_process off; pid $W/nginx.pid; error_log $W/nginx.log;
events {}
http { access_log off;
	client_body_temp_path $W/t1; proxy_temp_path $W/t2; fastcgi_temp_path $W/t3; uwsgi_temp_path $W/t4; scgi_temp_path $W/t5;
	server { listen unix:$W/nginx.socket; root $W/site; autoindex on; autoindex_format json; } }
END
nginx -c "$W/nginx.conf" 2>/dev/null &
NGINX=$!
diag "$(nginx -v 2>&1)"
curl -sS --retry 100 --retry-delay 0 --retry-all-errors --unix-socket "$W/nginx.socket" http://h/pub/ -o "$W/listing"
curl -sS --unix-socket "$W/nginx.socket" http://h/pub/empty/ -o "$W/none"
kill "$NGINX"
wait "$NGINX"

import --format autoindex --url HTTP://192.0.2.7:8080/pub --seen 2026-03-01T00:00:00Z "$W/listing"
is "$STATUS $OUT" "0 5 read, 1 new, 0 changed, 0 unchanged, 0 bad, 2 skipped" "a listing of nginx is one record, and its directories are skipped (C-404)"
is "$(show 'del(.files)')" '{"url":"http://192.0.2.7:8080/pub/","ip":"192.0.2.7","port":8080,"path":"/pub/","file_count":3,"total_size":6,"truncated":false,"first_seen":"2026-03-01T00:00:00.000000Z","last_seen":"2026-03-01T00:00:00.000000Z"}' \
	"--url gives the address of a listing and --seen its time"
is "$(show '[.files[] | [.name, .extension, .size]]')" '[["Run.PS1","ps1",5],["a \"quoted\" \\ name.txt","txt",1],["grün",null,0]]' \
	"each file of a listing has its name and size"
is "$(show '.files[0].modified_at')" '"2026-02-28T23:59:58.000000Z"' "the time of a file is the date in its mtime"
import --format autoindex --url http://192.0.2.7:8080/pub/ --seen 2026-03-01T00:00:00Z "$W/listing"
is "$OUT" "5 read, 0 new, 0 changed, 1 unchanged, 0 bad, 2 skipped" "the same listing twice changes nothing (C-404)"
import --format autoindex --url http://192.0.2.7:8080/pub/ --seen 2026-03-02T00:00:00Z "$W/none"
is "$STATUS $OUT $(show '[.file_count, .total_size, .files, .last_seen]')" \
	'0 0 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped [0,0,null,"2026-03-02T00:00:00.000000Z"]' "a later listing without files empties the directory"
import --url http://192.0.2.7:8080/pub/ --seen 2026-03-01T00:00:00Z "$W/listing"
is "$STATUS $OUT" "0 5 read, 0 new, 0 changed, 1 unchanged, 0 bad, 2 skipped" "the format of a listing is guessed, and an earlier listing changes nothing"
clear

# autoindex TEXT [OPTION ...]: imports a listing that is the text.
autoindex()
{
	printf '%s' "$1" >"$W/text"
	shift
	import --format autoindex --url 'https://Files.Example.ORG/a%20b/' "$@" "$W/text"
}
autoindex '[{"name":"a","type":"file","mtime":"Mon, 31 Feb 2026 00:00:00 GMT","size":1},
{"name":"","type":"file"}, {"name":"b","type":"socket"}, {"type":"file"}, {"name":"c","type":"other"}, 7,
{"name":"d","type":"file","mtime":7,"size":"9"}]'
is "$STATUS $OUT" "1 7 read, 1 new, 0 changed, 0 unchanged, 4 bad, 1 skipped" "the entries around broken ones are imported"
is "$(show '[.url, .host, .port, .path, .files]')" \
	'["https://files.example.org/a%20b/","files.example.org",443,"/a%20b/",[{"name":"a","size":1},{"name":"d"}]]' \
	"a day that does not exist and a size that is no number are left out"
clear
autoindex '<html><body>Index of /</body></html>'
is "$STATUS $OUT" "1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "a file that is no listing stores no record"
autoindex ''
is "$STATUS $OUT" "0 0 read, 0 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an empty file stores no record"
autoindex '[{"name":"a","type":"file"},7]' --strict
is "$STATUS $OUT" "1 2 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "--strict stores no listing with a broken entry"
/usr/bin/python3 -c 'import json; print(json.dumps([{"name": "%05d" % i, "type": "file", "size": 1} for i in range(65537)]))' >"$W/many"
import --format autoindex --url http://[2001:DB8::7]/ "$W/many"
is "$STATUS $OUT $(show '[.url, .ip, .file_count, .truncated]')" \
	'0 65537 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped ["http://[2001:db8::7]/","2001:db8::7",65536,true]' \
	"a listing with more files than a record may have is truncated"
import --format autoindex "$W/many"
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --format autoindex needs --url" "a listing without a URL is refused"
for url in ftp://192.0.2.7/ http:/192.0.2.7/ http:// http://192.0.2.7:0/ http://192.0.2.7:65536/ http://192.0.2.7:+1/ http://[192.0.2.7]/ \
	http://2001:db8::7/ 'http://192.0.2.7/?C=M' 'http://192.0.2.7/#x' 'http://192.0.2.7/a b/' http://[::1 http://u@192.0.2.7/; do
	import --format autoindex --url "$url" "$W/many"
	is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --url wants the URL of a directory, such as http://192.0.2.7:8080/pub/" "$url is refused as the URL of a listing"
done
