#!/bin/sh
# SPDX-License-Identifier: ISC
# House rules that a grep can check: which directory includes which, which one uses a library, private headers.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh


includes() {
	grep -rnE '^#include "[a-z_]+/' "src/$1" | grep -vE "#include \"($2)/" || true
}

stairs=
for layer in tbl base json db core search http api; do
	stairs=${stairs:+$stairs|}$layer
	none "src/$layer includes only itself and the layers below it" "$(includes "$layer" "$stairs")"
done
none "src/indexer includes nothing above search" \
	"$(includes indexer 'tbl|base|json|db|core|search|indexer')"
none "src/stream includes nothing above core" "$(includes stream 'tbl|base|json|db|core|stream')"
none "src/alert includes nothing above search" "$(includes alert 'tbl|base|json|db|core|search|alert')"
none "src/cli includes nothing above search" "$(includes cli 'tbl|base|json|db|core|search|cli')"

only() {
	none "only src/($3) includes the headers of $1" "$(grep -rlE "$2" src | grep -vE "^src/($3)/")"
}

for part in dispatch runner egress; do
	none "src/browser/$part includes no other program" "$(
		[ ! -d "src/browser/$part" ] || includes "browser/$part" "tbl|base|json|db|core|browser/$part|browser" |
			grep -vE '#include "browser/[a-z_]+\.h"'
	)"
done

only json-c '#include <json(-c)?/' json
only libjwt '#include <jwt' core
only libpq '#include <(postgresql/)?libpq' db
only libcurl '#include <curl/' 'alert|cli'
only libfcgi '#include <fcgi' http

none "private headers are included in their own directory only" "$(
	grep -rnE '#include "[a-z]+/([a-z]+/)*[a-z_]*_priv\.h"' src |
		awk -F: '{ dir = $1; sub("/[^/]*$", "", dir); sub("^src/", "", dir)
			if (index($3, "\"" dir "/") == 0) print }'
)"
none "src/http and src/api never call free" "$(grep -rnE '\bfree\(' src/http src/api)"
none "the top level contains only the files and directories of the list" "$(
	[ ! -e .git ] || git ls-files | grep -vE '^(configure\.ac|Makefile\.am|README|NEWS|LICENSE|bootstrap|\.[^/]+|(src|nginx|sql|t|man|debian|\.ci)/.*)$'
)"
none "every file names its licence" "$(
	t/helper/files src t nginx sql | grep -E '\.(c|h|sh|sql|t|py)$' | grep -v '^src/tbl/' | while read -r f; do
		head -3 "$f" | grep -q 'SPDX-License-Identifier: ISC' || echo "$f"
	done
)"
done_testing
