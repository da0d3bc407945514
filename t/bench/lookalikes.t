#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/lookalikes: the shares of its lists do not become worse. t/detect/lookalikes.t asserts the same of
# the newer lists with imports and requests.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

# share LIST KIND COLUMN: a percentage of the sum of a kind.
share()
{
	NO_SPEED=1 t/bench/lookalikes "t/bench/data/lookalike/$1" | awk -v kind="$2" -v c="$3" '$1 == kind && $2 == "all" {
		gsub(/[a-z:%]+/, " "); print $(1 + c) }'
}

for list in tuned held-out; do
	found=$(share $list lookalike 1) wrong=$(share $list honest 1)
	ok "at least 75 % of the look-alikes in the list $list are found without imports (C-935): $found" awk "BEGIN { exit !($found >= 75) }"
	ok "at most 5 % of the honest neighbours in the list $list are reported without imports (C-935): $wrong" \
		awk "BEGIN { exit !($wrong <= 5) }"
	found=$(share $list lookalike 2) wrong=$(share $list honest 2)
	ok "at least 85 % of the look-alikes in the list $list are found with a ranking (C-935): $found" awk "BEGIN { exit !($found >= 85) }"
	ok "at most 5 % of the honest neighbours in the list $list are reported with a ranking (C-935): $wrong" \
		awk "BEGIN { exit !($wrong <= 5) }"
done
done_testing
