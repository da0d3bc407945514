#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/lookalikes: how many look-alikes and honest neighbours of the lists reach 70 points with an
# address and nothing else known.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bench=${TOP_BUILDDIR:-.}/t/bench/lookalike

# share LIST KIND: the percentage of names that reach 70.
share()
{
	"$bench" judge "t/bench/data/lookalike/$1" | awk -v kind="$2" '$0 == kind { on = 1 } on && $1 == "all" { print $(NF - 1); exit }'
}

for list in tuned held-out; do
	found=$(share $list lookalike) wrong=$(share $list honest)
	ok "at least 75 % of the look-alikes in the list $list are found (C-902): $found" awk "BEGIN { exit !($found >= 75) }"
	ok "at most 5 % of the honest neighbours in the list $list are reported (C-902): $wrong" awk "BEGIN { exit !($wrong <= 5) }"
done
done_testing
