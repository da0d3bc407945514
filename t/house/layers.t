#!/bin/sh
# SPDX-License-Identifier: ISC
# House rules that a grep can check: the staircase of directories, one directory per library, and private
# headers that stay at home. HACKING describes the rooms.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

STAIRS='tbl base enrich daemon json wire db address access counting secret record extract lookalike resource search detection http api'

# includes ROOM ALLOWED: the project's includes of src/ROOM from rooms that ALLOWED, a pattern, does not match.
includes()
{
	grep -rnE '^#include "[a-z_]+/' "src/$1" | grep -vE "#include \"($2)/" || true
}

# up_to ROOM: that room and every room to its left, as a pattern.
up_to()
{
	printf '%s' "${STAIRS%%" $1"*} $1" | tr ' ' '|'
}

allowed=
for room in $STAIRS; do
	allowed=${allowed:+$allowed|}$room
	none "src/$room includes only itself and the rooms to its left" "$(includes "$room" "$allowed")"
done
for program in indexer alert; do
	none "src/$program includes no room above search" "$(includes $program "$(up_to search)|$program")"
done
none "src/cli includes no room above detection" "$(includes cli "$(up_to detection)|cli")"
none "src/client, which customers install without a server, includes src/tbl, src/base, src/json and src/wire alone" \
	"$(includes client 'tbl|base|json|wire|client')"
none "src/stream includes no room above resource" "$(includes stream "$(up_to resource)|stream")"
none "src/meter includes no room above counting" "$(includes meter "$(up_to counting)|meter")"
for part in dispatch runner egress; do
	none "src/browser/$part includes no room above resource and no other program" "$(
		includes "browser/$part" "$(up_to resource)|browser/$part|browser" |
			grep -vE '#include "browser/[a-z_]+\.h"'
	)"
done

# only HEADER PATTERN ROOMS: files outside of the rooms that include the header.
only()
{
	none "$1 is included in $(printf '%s' "$3" | tr '|' ' ') alone" \
		"$(grep -rlE "$2" src | grep -vE "^src/($3)/")"
}

only json-c '#include <json(-c)?/' json
only libjwt '#include <jwt' access
only libpq '#include <(postgresql/)?libpq' db
only libcurl '#include <curl/' 'alert|cli|client|search/clickhouse'
only libyaml '#include <yaml' cli/rule
only libseccomp '#include <seccomp' cli/report
only libfcgi '#include <fcgi' http

none "private headers are included in their own directory alone" "$(
	grep -rnE '#include "[a-z]+/([a-z]+/)*[a-z_]*_priv\.h"' src |
		awk -F: '{ dir = $1; sub("/[^/]*$", "", dir); sub("^src/", "", dir)
			if (index($3, "\"" dir "/") == 0) print }'
)"
index_public='search/index/(format/index|read/each|write/(build|merge|state))\.h'
none "other directories include only the public headers of src/search/index" "$(
	grep -rnE '#include "search/index/' src | grep -vE "^src/search/index/|\"$index_public\""
)"
none "src/search/index/format includes neither the reader nor the writer" \
	"$(grep -rnE '#include "search/index/(read|write)/' src/search/index/format)"
none "src/search/index/read does not include the writer" \
	"$(grep -rnE '#include "search/index/write/' src/search/index/read)"
none "src/search/index/write does not include the reader" \
	"$(grep -rnE '#include "search/index/read/' src/search/index/write)"
none "no file of src/http and src/api frees request memory by hand" "$(grep -rnE '\bfree\(' src/http src/api)"
none "the top level holds nothing but the listed files and directories" "$(
	[ ! -e .git ] || git ls-files | grep -vE '^(configure\.ac|Makefile\.am|README|NEWS|HACKING|LICENSE|bootstrap|\.[^/]+|(src|nginx|sql|t|man|debian|\.ci)/.*)$'
)"
none "every source file has a licence line" "$(
	t/helper/files src t nginx sql | grep -E '\.(c|h|sh|sql|t|py)$' | grep -v '^src/tbl/' | while read -r f; do
		head -3 "$f" | grep -q 'SPDX-License-Identifier: ISC' || echo "$f"
	done
)"
done_testing
