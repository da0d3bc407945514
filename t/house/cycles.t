#!/bin/sh
# SPDX-License-Identifier: ISC
# No source files of src/ use one another in a circle (t/helper/cycles), so a file can be read and changed without the files
# that use it.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

# The circles that may exist, a line each below its reason. Files may leave a circle; no file may join one.
ALLOWED='
# whether a pooler stands between is asked when a connection is made, and by a second connection
src/db/conn.c src/db/db.c src/db/pooled.c
'

# Reads the groups of t/helper/cycles --names. "new": those that are not in one line of ALLOWED; "gone": lines of ALLOWED
# of which no two files are in a group.
compare()
{
	printf '%s\n' "$ALLOWED" | awk -v what="$1" '
		FNR == NR { if (!/^(#|$)/) { row[++rows] = $0; for (i = 1; i <= NF; i++) of[$i] = rows } next }
		{
			for (i = 2; i <= NF && of[$i] && of[$i] == of[$1]; i++)
				;
			if (i > NF && of[$1]) used[of[$1]] = 1
			else if (what == "new") print
		}
		END { if (what == "gone") for (k = 1; k <= rows; k++) if (!used[k]) print row[k] }' - "$groups"
}

groups=$(mktemp)
trap 'rm -f "$groups"' EXIT
t/helper/cycles --names >"$groups"
ok "every source file of src has an object file" test $? -eq 0
none "no files of src use one another in a circle beside the known ones (t/helper/cycles prints the uses)" "$(compare new)"
none "each known circle still exists; remove its line from t/house/cycles.t when it is gone" "$(compare gone)"

ok "the script finds circles of two and of three files, and no circle in a chain" /usr/bin/python3 -B -c '
from importlib.machinery import SourceFileLoader
groups = SourceFileLoader("cycles", "t/helper/cycles").load_module().groups
for uses, wanted in (
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "a"}, []),
        ({"a": "b", "b": "a", "c": "a"}, [["a", "b"]]),
        ({"a": "b", "b": "c", "c": "a", "d": "ae", "e": "d"}, [["a", "b", "c"], ["d", "e"]])):
    assert groups(uses) == wanted, (uses, groups(uses))
'
ok "the script finds a thousand uses between files at least" /usr/bin/python3 -B -c '
from importlib.machinery import SourceFileLoader
cycles = SourceFileLoader("cycles", "t/helper/cycles").load_module()
uses = cycles.graph(cycles.sources())
n = sum(len(u) for u in uses.values())
assert n >= 1000, n
assert "query_parse" in uses["src/api/search/run.c"]["src/search/query.c"], uses["src/api/search/run.c"]
'
done_testing
