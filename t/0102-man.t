#!/bin/sh
# SPDX-License-Identifier: ISC
# What a table says stands in its man page, and the man pages are well-formed.
cd "$(dirname "$0")/.." || exit 1
bin=${TOP_BUILDDIR:-.}
n=0

# stands WORD FILE: mdoc may break a line anywhere, never a word.
stands() {
	n=$((n + 1))
	if grep -qwF -- "$1" "$2"; then
		echo "ok $n - $2 has $1"
	else
		echo "not ok $n - $2 lacks $1"
	fi
}

for word in $("$bin/surfaced" -D params | cut -f1); do
	stands "$word" man/surfaced.conf.5
done
for word in $("$bin/surfaced" -D errors | cut -f2 | sort -u); do
	stands "$word" man/surfaced-api.7
done
for page in man/*.[0-9]; do
	n=$((n + 1))
	if faults=$(mandoc -Tlint -Werror "$page"); then
		echo "ok $n - $page is well-formed"
	else
		echo "not ok $n - $page"
		printf '%s\n' "$faults" | sed 's/^/# /'
	fi
done
echo "1..$n"
