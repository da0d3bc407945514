#!/bin/sh
# SPDX-License-Identifier: ISC
# The table of threats in t/people/README names, for each threat, titles of tests in files that have them.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

page=t/people/README
# threats: each line of the table, as "THREAT|FILE|TITLE"; a threat without a test has neither.
threats()
{
	awk '/^[A-Z].* [a-z]/ && !/[.]$/ && !/^These|^Tests|^t\// { if (threat != "" && !n) print threat "||"; threat = $0; n = 0 }
		/^    t\// { file = $1; sub(/^ +[^ ]+ +/, ""); print threat "|" file "|" $0; n++ }
		END { if (!n) print threat "||" }' "$page"
}
# A title may have a quoted variable of the shell, or an apostrophe.
titles()
{
	threats | while IFS='|' read -r threat file title; do
		[ -n "$file" ] || {
			echo "no test: $threat"
			continue
		}
		[ -f "$file" ] && grep -qF -- "$title" "$file" || echo "$file: $title"
	done
}

is "$(threats | cut -d '|' -f 1 | sort -u | wc -l)" 20 "the table has the twenty threats of the design"
none "each threat to people has tests whose files have their titles" "$(titles)"
done_testing
