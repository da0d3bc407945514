#!/bin/sh
# SPDX-License-Identifier: ISC
# The manual pages contain what the tables contain, and mandoc accepts them.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bin=${TOP_BUILDDIR:-.}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# mdoc may break a line anywhere, never a word.
# section NAME: the lines of a subsection of surfaced.conf.5.
section()
{
	sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" man/surfaced.conf.5
}
# documented PARAMETER TYPE PROGRAMS: the item stands in the right section, with its type and its programs.
documented()
{
	case $3 in
	*,*) section "Several programs" | sed -n "/^\.It Cm $1 /,/^\.It\|^\.El/p" >"$work/item" ;;
	*) section "$3" | sed -n "/^\.It Cm $1 /,/^\.It\|^\.El/p" >"$work/item" ;;
	esac
	grep -q "^\.It Cm $1 No ($2, " "$work/item" || return 1
	case $3 in
	*,*) grep -qx 'Read by all programs\.' "$work/item" ||
		[ "$(sed -n '/^Read by$/,$s/^\.Xr \([a-z-]*\) 8.*/\1/p' "$work/item" | paste -sd ,)" = "$3" ] ;;
	esac
}
"$bin/surfaced" -D params | cut -f1-3 >"$work/params"
while read -r word programs type; do
	ok "surfaced.conf.5 documents the parameter $word with its type and programs (C-356)" documented "$word" "$type" "$programs"
done <"$work/params"
for word in $("$bin/surfaced" -D errors | cut -f2 | sort -u); do
	ok "surfaced-api.7 documents the error $word (C-356)" grep -qwF -- "$word" man/surfaced-api.7
done
# options FILE: letters of short options and words of long ones, each once.
options()
{
	grep -oE -e '--[a-z][a-z-]*' -e '(^|[^[:alnum:]-])-[[:alpha:]]+' "$1" | tr -d ' []|' | sed '/^--/!s/^-*//; /^--/!s/./&\n/g' |
		sort -u | grep . | paste -sd ' '
}
page()
{
	mandoc -Tascii -Owidth=400 "$1" | sed "s/.$(printf '\b')//g"
}
for name in surfaced surfaced-alert surfaced-detect surfaced-dispatch surfaced-egress surfaced-export surfaced-index surfaced-meter surfaced-runner surfaced-stream; do
	"$bin/$name" -h 2>&1 | sed -n 's/^usage: [^ ]*//p' >"$work/usage"
	page "man/$name.8" | sed -n "/^SYNOPSIS/,/^DESCRIPTION/s/^ *$name //p" >"$work/synopsis"
	ok "$name.8 has the options of $name -h" \
		test "$(options "$work/synopsis")" = "$(options "$work/usage")"
done
"$bin/surfacectl" --help >"$work/all" 2>&1
for name in $(sed -n 's/^  \([a-z][a-z-]*\).*/\1/p' "$work/all"); do "$bin/surfacectl" "$name" --help >>"$work/all" 2>&1; done
page man/surfacectl.8 >"$work/page"
long()
{
	grep -oE -e '--[a-z][a-z-]*' "$1" | sort -u | grep -vx -e --help -e --version | paste -sd ' '
}
ok "surfacectl.8 has the options of surfacectl --help" test "$(long "$work/page")" = "$(long "$work/all")"
for name in $("$bin/surfacectl" import --help 2>&1 | sed -n '/^formats/,$d; s/^  \([a-z][a-z-]*\) .*/\1/p'); do
	"$bin/surfacectl" import "$name" --help 2>&1 | sed -n 1p >"$work/usage"
	grep -E "^ *import $name .*([|]-|url)\$" "$work/page" >"$work/synopsis"
	ok "surfacectl.8 has the options of surfacectl import $name" \
		test "$(long "$work/synopsis")" = "$(long "$work/usage")"
done

# The list of formats is that of the table, and each format that is guessed is one of them.
sed -n 's/^FORMAT(\([A-Z]*\),[[:space:]]*\([a-z0-9-]*\),[[:space:]]*[a-z0-9_]*,[[:space:]]*"\(.*\)")$/\1 \2 \3/p' src/tbl/formats.h |
	awk '{ $1 = tolower($1); sub(/^directories/, "open-directories", $1); print }' >"$work/formats"
sed -n 's/^\.It \([a-z-]*\) Ta Cm \([a-z0-9-]*\) Ta /\1 \2 /p' man/surfaced-import.5 >"$work/page"
ok "src/tbl/formats.h has more than ten formats in the form that this test reads" test "$(wc -l <"$work/formats")" -gt 10
ok "surfaced-import.5 has the formats of src/tbl/formats.h, in their order" diff "$work/formats" "$work/page"
sed -n 's/^FORMAT_SIGN(\([A-Z]*\),[[:space:]]*\([a-z0-9-]*\),.*/FORMAT(\1, \2,/p' src/tbl/format_signs.h | sort -u >"$work/signs"
sed -n 's/^FORMAT(\([A-Z]*\),[[:space:]]*\([a-z0-9-]*\),.*/FORMAT(\1, \2,/p' src/tbl/formats.h | sort -u >"$work/formats"
ok "src/tbl/format_signs.h names formats of src/tbl/formats.h alone" test -z "$(comm -23 "$work/signs" "$work/formats")"
none "each format of src/tbl/formats.h can be guessed" "$(comm -13 "$work/signs" "$work/formats")"

# checks FILE...: the names of the checks that they can print.
checks()
{
	cat "$@" | tr -s ' \t\n' ' ' | grep -oE '(doctor_report\( ?d, [^",;]+, |say_missing\(d, |\.check = )"[a-z-]+"' | cut -d '"' -f 2 | sort -u
}
# named SECTION WORD: a list item, or a word in a line of its own.
named()
{
	grep -qE "^\.(It )?Cm (.* , )?$2( |\$)" "$1"
}
sed -n '/^\.Ss Doctor/,/^\.Ss Audit/p' man/surfacectl.8 >"$work/doctor"
sed -n '/^\.It Cm browser-check/,/^\.It Cm stream-keys/p' man/surfacectl.8 >"$work/browser"
ok "the source of doctor has at least 20 checks" test "$(checks src/cli/doctor/*.c | wc -l)" -ge 20
for word in $(checks src/cli/doctor/*.c); do
	ok "surfacectl.8 documents the doctor check $word" named "$work/doctor" "$word"
done
for word in $(checks src/cli/browser.c src/cli/doctor/runner.c); do
	ok "surfacectl.8 documents the browser-check check $word" named "$work/browser" "$word"
done

for file in nginx/*.conf; do
	ok "surfaced-files.5 documents the file $file" grep -qwF -- "${file##*/}" man/surfaced-files.5
done
for word in $(sed -n 's/.*\(FIELD\|LIST_OF\)(struct manifest, \([a-z_]*\),.*/\2/p' src/cli/archive/backup.c); do
	ok "surfaced-files.5 documents $word of the manifest" \
		grep -qx -- "\.It Li $word" man/surfaced-files.5
done
for file in debian/etc/*.conf; do
	[ ! -f "man/$(basename "$file" .conf).8" ] ||
		ok "the manual page of the program names $file" \
			grep -qwF -- "/etc/surfaced/${file##*/}" "man/$(basename "$file" .conf).8"
done

for page in man/*.[0-9] debian/*.[0-9]; do
	ok "mandoc finds no fault in $page" mandoc -Tlint -Werror "$page"
done
done_testing
