#!/bin/sh
# SPDX-License-Identifier: ISC
# Functions, files and headers stay short. Tables are exempt.
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
none "no file is above 900 lines" "$(t/helper/files src t nginx sql | grep -vE 'corpus|golden|conformance|/data/|access/passwords|tbl/known_domains' |
	xargs wc -l | awk '$2 != "total" && $1 > 900')"

# header functions, for each header: declarations outside of braces that have a parameter list and end with a semicolon.
prototypes() {
	t/helper/files src | grep '\.h$' | grep -v '^src/tbl/' | xargs awk '
		FNR == 1 { if (name) print name, n; name = FILENAME; n = depth = macro = comment = 0; text = "" }
		{
			line = $0
			if (comment && !sub(/.*\*\//, "", line)) next
			comment = 0
			gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
			if (sub(/\/\*.*/, "", line)) comment = 1
			if (macro || line ~ /^#/) { macro = line ~ /\\$/; next }
			for (i = 1; i <= length(line); i++) {
				c = substr(line, i, 1)
				if (c == "{") depth++
				if (depth == 0) text = text c
				if (c == "}") depth--
				if (depth == 0 && c == ";") {
					n += text ~ /\(/ && text !~ /typedef/
					text = ""
				}
			}
		}
		END { print name, n }'
}

headers=$(prototypes)
none "no header declares more than 20 functions: such a header is two rooms" \
	"$(printf '%s\n' "$headers" | awk '$2 > 20')"
none "the test finds ten headers with more than ten functions" \
	"$(printf '%s\n' "$headers" | awk '$2 > 10 { n++ } END { if (n < 10) print "only " n + 0 }')"
none "the test finds more than fifty functions" "$([ "$total" -gt 50 ] || echo "only $total")"

# Directories whose comments fit 100 columns, as clang-format keeps code; others join as they are wrapped.
NARROW='access address alert base browser counting daemon db extract http json meter stream text wire'
none "no line of a comment in a narrow directory is above 100 columns" \
	"$(t/helper/prose --list wide | grep -E "^src/($(printf '%s' "$NARROW" | tr ' ' '|'))/")"
ok "the script measures the columns of comments with tabs as 8 columns" /usr/bin/python3 -B -c '
from importlib.machinery import SourceFileLoader
wide = SourceFileLoader("prose", "t/helper/prose").load_module().wide_lines
for text, wanted in (
        ("/* " + "x" * 94 + " */\n", []),
        ("/* " + "x" * 95 + " */\n", [1]),
        ("\t/* a\n\t   " + "x" * 90 + " */\n", [2]),
        ("f(\"" + "x" * 100 + "\");\n", [])):
    assert list(wide(text)) == wanted, (text, wanted)
'
done_testing
