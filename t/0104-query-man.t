#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-query(7) names every field and alias of the search schema, with its type.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
page=man/surfaced-query.7

# stands WHAT LINE: the page has the line, up to its description.
stands() {
	ok "$1" grep -qE -- "^\.It Li $2( |\$)" "$page"
}

# name type*: the words of the page for the types of the table.
fields=$(sed -n 's/^SEARCH_FIELD(HOSTS, *"\([^"]*\)",[[:space:]]*\([A-Z]*\),[[:space:]]*\([01]\))$/\1 \2 \3/p' src/tbl/fields.h |
	sed 's/ DNS / NAME /; s/ IP / ADDRESS /; s/ 1$/*/; s/ 0$//' | tr A-Z a-z)
aliases=$(sed -n 's/^ALIAS(HOSTS, *"\([^"]*\)".*/\1/p' src/tbl/fields.h)

while read -r name type; do
	stands "field $name is $type" "$(printf '%s Ta %s' "$name" "$type" | sed 's/[.*]/\\&/g')"
done <<EOF
$fields
EOF
for name in $(printf '%s\n' "$aliases" | tr '*' '@'); do
	name=$(printf '%s' "$name" | tr '@' '*')
	stands "alias $name" "$(printf '%s Ta' "$name" | sed 's/[.*]/\\&/g')"
done
done_testing
