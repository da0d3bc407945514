#!/bin/sh
# SPDX-License-Identifier: ISC
# The files of the tree are there for a reason, and a test does not name a time that it does not hold.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

none "no file of the tree is empty, except inputs of fuzz targets" \
	"$(t/helper/files . | sed 's,^\./,,' | grep -v '^t/fuzz/corpus/' | while read -r file; do [ -s "$file" ] || echo "$file"; done)"
# The limit of world_until is a multiple of the seconds that it is told.
none "no title promises a time to an assertion that uses world_until" "$(t/helper/files t | grep '\.t$' | xargs awk '
	/\\$/ { text = text substr($0, 1, length($0) - 1); next }
	{ line = text $0; text = "" }
	line ~ /world_until/ && line ~ /"[^"]*(within|in) [a-z0-9]+ (second|minute)s?[^"]*"/ { print FILENAME ": " line }')"
done_testing
