#!/bin/sh
# SPDX-License-Identifier: ISC
# What a table says stands in its man page, and the man pages are well-formed.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bin=${TOP_BUILDDIR:-.}

# mdoc may break a line anywhere, never a word.
for word in $("$bin/surfaced" -D params | cut -f1); do
	ok "surfaced.conf.5 has $word" grep -qwF -- "$word" man/surfaced.conf.5
done
for word in $("$bin/surfaced" -D errors | cut -f2 | sort -u); do
	ok "surfaced-api.7 has $word" grep -qwF -- "$word" man/surfaced-api.7
done
for page in man/*.[0-9]; do
	ok "$page is well-formed" mandoc -Tlint -Werror "$page"
done
done_testing
