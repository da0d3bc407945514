#!/bin/sh
# SPDX-License-Identifier: ISC
# HACKING and the READMEs name files, directories and functions of SQL that exist.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

# words FILE PATTERN: the words of FILE that match the whole PATTERN.
words()
{
	tr -s ' \t\n(),:;' '\n' <"$1" | sed 's/\.$//' | grep -xE "$2" | sort -u
}

for page in HACKING README t/README; do
	none "every path that $page names exists" "$(
		words "$page" '(src|t|nginx|sql|man|debian)/[a-z0-9_./-]+' | while read -r path; do
			[ -e "$path" ] || echo "$path"
		done
	)"
done
none "every directory of tests stands in t/README" "$(
	for family in t/*/; do
		name=${family#t/}
		grep -qE "(^  |t/)${name%/}\b" t/README || echo "$family"
	done
)"
none "every directory of src stands in HACKING" "$(
	t/helper/files src | cut -d/ -f1,2 | sort -u | grep -v '\.' | while read -r room; do
		grep -q "$room\b" HACKING || echo "$room"
	done
)"
none "the functions of SQL that HACKING names exist" "$(
	grep -oE '\(([a-z]+_[a-z]+) in[[:space:]]' HACKING | tr -d '(' | while read -r name _; do
		grep -qE "FUNCTION $name\(" sql/*.sql sql/*/*.sql 2>/dev/null || echo "$name"
	done
)"
done_testing
