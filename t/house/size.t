#!/bin/sh
# SPDX-License-Identifier: ISC
# House rules 3 and 4: functions and files stay short. Tables are exempt.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

# file:line name lines, for each function definition of our C.
functions() {
	t/helper/files src t | grep '\.c$' | xargs awk '
		/^[a-z_].*\(/ && !/;$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
		/^\{/ { start = FNR }
		/^\}$/ && start { print FILENAME ":" start, name, FNR - start - 1; start = 0 }'
}

list=$(functions)
total=$(printf '%s\n' "$list" | wc -l)
none "no function is above 100 lines" "$(printf '%s\n' "$list" | awk '$3 > 100')"
over=$(printf '%s\n' "$list" | awk '$3 > 50' | wc -l)
none "nine functions of ten are under 50 lines" \
	"$([ $((over * 10)) -le "$total" ] || echo "$over of $total are above 50")"
none "no file is above 900 lines" "$(t/helper/files src t nginx sql | grep -vE 'corpus|golden|conformance' |
	xargs wc -l | awk '$2 != "total" && $1 > 900')"
none "the test finds more than fifty functions" "$([ "$total" -gt 50 ] || echo "only $total")"
done_testing
