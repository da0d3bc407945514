#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-query(7) names every field and alias of each dataset of the search schema, with its type.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
page=man/surfaced-query.7
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
section=$work/section

# stands WHAT LINE: the section contains the line, up to its description.
stands() {
	ok "$1" grep -qE -- "^\.It Li $2( |\$)" "$section"
}

# name type*: the words of the page for the types of the table.
fields() {
	view='s/^SERVICE_FIELD("/SEARCH_FIELD(HOSTS, "services./'
	[ "$1" != SERVICES ] || view='s/^SERVICE_FIELD(/SEARCH_FIELD(SERVICES, /'
	sed -e '/ GUARD, /d' -e "$view" -e 's/^VIEW_FIELD(/SEARCH_FIELD(/' \
		-e 's/^CONDITION_FIELD(\(.*\))$/SEARCH_FIELD(\1, 0)/' src/tbl/fields.h src/tbl/fields/*.h |
		sed -n 's/^SEARCH_FIELD('"$1"', *"\([^"]*\)",[[:space:]]*\([A-Z]*\),[[:space:]]*\([01]\)[,)].*/\1 \2 \3/p' |
		sed 's/ DNS / NAME /; s/ IP / ADDRESS /; s/ 1$/*/; s/ 0$//' | tr '[:upper:]' '[:lower:]'
}

# of DATASET LABEL: its section of the page has its fields and aliases, and no other fields.
of() {
	title="FIELDS OF $(printf '%s' "$2" | tr '[:lower:]' '[:upper:]')"
	sed -n "/^\.Sh $title\$/,/^\.Sh /p" "$page" | sed '1!{/^\.Sh /d;}' >"$section"
	ok "surfaced-query(7) has the section $title" test -s "$section"
	fields "$1" >"$work/fields"
	while read -r name type; do
		stands "$2: field $name is $type" "$(printf '%s Ta %s' "$name" "$type" | sed 's/[.*]/\\&/g')"
	done <"$work/fields"
	aliases=$(sed -n "s/^ALIAS($1, *\"\([^\"]*\)\".*/\1/p" src/tbl/fields.h src/tbl/fields/*.h | tr '*' '@')
	for name in $aliases; do
		name=$(printf '%s' "$name" | tr '@' '*')
		stands "$2: the alias $name is documented" "$(printf '%s Ta' "$name" | sed 's/[.*]/\\&/g')"
	done
	ok "$2: no other field or alias is documented" test "$(grep -c '^\.It Li ' "$section")" -eq \
		$(($(wc -l <"$work/fields") + $(printf '%s' "$aliases" | grep -c .)))
}

# Datasets that are stored but not searched have no section yet.
sed -n -e 's/^\(VIEW\|LISTED\)(/DATASET(/' -e 's/^DATASET(\([A-Z_]*\),[[:space:]]*[0-9]*,[[:space:]]*"\([^"]*\)".*/\1 \2/p' \
	-e 's/^CONDITIONS(\([A-Z_]*\),[[:space:]]*"\([^"]*\)".*/\1 \2/p' src/tbl/datasets.h src/tbl/conditions.h >"$work/sets"
while read -r dataset label; do
	of "$dataset" "$label"
done <"$work/sets"
ok "at least one dataset and two conditions have been compared with their sections" test "$(wc -l <"$work/sets")" -ge 3
done_testing
