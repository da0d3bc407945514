#!/bin/sh
# SPDX-License-Identifier: ISC
# House rules that a grep can see: the staircase of layers, one user a library, no private headers abroad.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh


includes() {
	grep -rnE '^#include "[a-z_]+/' "src/$1" | grep -vE "#include \"($2)/" || true
}

stairs=
for layer in tbl base json db core search http api; do
	stairs=${stairs:+$stairs|}$layer
	none "src/$layer includes only itself and what stands before it" "$(includes "$layer" "$stairs")"
done
none "src/indexer stands on search" "$(includes indexer 'tbl|base|json|db|core|search|indexer')"
none "src/stream stands on core" "$(includes stream 'tbl|base|json|db|core|stream')"
none "src/alert stands on search" "$(includes alert 'tbl|base|json|db|core|search|alert')"
none "src/cli stands on search" "$(includes cli 'tbl|base|json|db|core|search|cli')"

only() {
	none "only $3 knows $1" "$(grep -rlE "$2" src | grep -vE "^src/($3)/")"
}

for part in dispatch runner egress; do
	none "src/browser/$part knows no other program" "$(
		[ ! -d "src/browser/$part" ] || includes "browser/$part" "tbl|base|json|db|core|browser/$part|browser" |
			grep -vE '#include "browser/[a-z_]+\.h"'
	)"
done

only json-c '#include <json(-c)?/' json
only libjwt '#include <jwt' core
only libpq '#include <(postgresql/)?libpq' db
only libcurl '#include <curl/' 'alert|cli'
only libfcgi '#include <fcgi' http

none "private headers stay in their directory" "$(
	grep -rnE '#include "[a-z]+/([a-z]+/)*[a-z_]*_priv\.h"' src |
		awk -F: '{ dir = $1; sub("/[^/]*$", "", dir); sub("^src/", "", dir)
			if (index($3, "\"" dir "/") == 0) print }'
)"
none "request memory is never freed by hand" "$(grep -rnE '\bfree\(' src/http src/api)"
none "the top level holds what the card names and nothing else" "$(
	[ ! -e .git ] || git ls-files | grep -vE '^(configure\.ac|Makefile\.am|README|NEWS|LICENSE|bootstrap|\.[^/]+|(src|nginx|sql|t|man|debian|\.ci)/.*)$'
)"
none "every file names its licence" "$(
	t/helper/files src t nginx sql | grep -E '\.(c|h|sh|sql|t|py)$' | grep -v '^src/tbl/' | while read -r f; do
		head -3 "$f" | grep -q 'SPDX-License-Identifier: ISC' || echo "$f"
	done
)"
done_testing
