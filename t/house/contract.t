#!/bin/sh
# SPDX-License-Identifier: ISC
# t/contract has the rules that clients rely on: each number is defined once, each rule has an assertion, and each
# number that the tree cites is defined. No file refers to a document of rules that is not in the tree.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

rules() { t/helper/files t/contract | grep -v /README | xargs cat; }
numbers() { grep -oE '\bC-[0-9]{3}\b' | sort -u; }
defined=$(rules | grep -oE '^C-[0-9]{3}  ' | tr -d ' ' | sort)
ok "t/contract defines 400 rules at least" test "$(printf '%s\n' "$defined" | wc -l)" -ge 400
none "each number of t/contract is defined once" "$(printf '%s\n' "$defined" | uniq -d)"
none "each line of t/contract with a number is one rule of at most 500 characters" \
	"$(rules | grep -E '^ *C-' | grep -vE '^C-[0-9]{3}  .{20,500}$')"
none "each file of t/contract has a title and rules" "$(
	t/helper/files t/contract | grep -v /README | while read -r file; do
		head -n 1 "$file" | grep -qE '^[A-Z]' && grep -q '^C-' "$file" || echo "$file"
	done
)"

# The number is in a line of code: in a title, in the data of a test, or in a comment behind an assertion.
sources=$(t/helper/files t | grep -vE '^t/(contract|golden|fuzz/corpus)/|README')
# shellcheck disable=SC2086 # no name has a blank
asserted=$(grep -IhE 'C-[0-9]{3}' $sources | grep -vE '^[[:space:]]*(#|\*|//)' | numbers)
none "each rule of t/contract has an assertion that cites its number" "$(printf '%s\n' "$defined" |
	grep -vxF "$asserted")"

# Letters in front make it another name: CAPEC-123.
cited=$(t/helper/files HACKING README src sql nginx man debian t | grep -vE '^t/(contract|golden|fuzz/corpus)/' |
	xargs grep -IhoE '(^|[^A-Za-z0-9-])C-[0-9]{3}\b' | numbers)
ok "the tree cites rules" test -n "$cited"
none "each number that the tree cites is a rule of t/contract" "$(printf '%s\n' "$cited" | grep -vxF "$defined")"

documents='SPEC|CONTRACT|AREAS|SEARCH|CONSOLE|DETECTORS|FORMATS|BROWSER|PLATFORM'
none "no file refers to a document of rules that is not in the tree" "$(t/helper/files . |
	grep -vE '(^|/)(LICENSE|copyright|t/house/contract\.t)$|/corpus/' |
	xargs grep -InE "\\b($documents)(\\.md\\b|,? [A-Z]?[0-9]+(\\.[0-9]+)*\\b)|\\bSPEC\\b" | cut -c1-160)"
done_testing
