#!/bin/sh
# SPDX-License-Identifier: ISC
# Prose that a machine can check: the titles of the tests can be read alone, the help of a table fits a line, and
# comments and messages do not begin with a word whose noun is elsewhere. t/helper/prose prints the figures.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

# Directories whose comments and messages follow the rules; others join as they are rewritten.
CLEAN='src'

clean=$(printf '%s' "$CLEAN" | tr ' ' '|')
listed() {
	t/helper/prose --list "$1"
}

none "each test title is a proposition of four words or more that names its subject" "$(listed titles)"
none "no help in src/tbl is above 100 characters" "$(listed helps)"
none "no comment in a clean directory begins with What, Who, Whose, Whom, Of or That" \
	"$(listed openings | grep -E "^($clean)/")"
none "no message in a clean directory begins with What, Who, Whose, Whom, Of or That" \
	"$(listed messages | grep -E "^($clean)/")"

none "no function of src nests control statements more than three deep" "$(listed nesting)"

# The lists are not empty because the script found nothing.
figure() {
	t/helper/prose | sed -n "s/^$1  *\([0-9]*\)\$/\1/p"
}
ok "the script finds a thousand test titles at least" test "$(figure 'test titles')" -ge 1000
ok "the script finds the titles of shell, Python, JavaScript and C" /usr/bin/python3 -B -c '
import sys
sys.path.insert(0, "t/helper")
from titles import titles_of
for name, text, wanted in (
        ("a.t", "#!/bin/sh\nx; is \"$(a \"b\")\" 1 \\\n\t\"and shell\"\nbad() { ok \"a $1\" false; }\nbad one\n", ["and shell", "a one"]),
        ("b.t", "#!/usr/bin/python3\nok(f(1,\n   2), \"two \" + x)\n", ["two X"]),
        ("c.mjs", "await until(async () => (await f(\"x\")) === 1, `which ${y}`);\n", ["which X"]),
        ("d.c", "CU_TestInfo tests[] = {\n\t{ \"close codes\", f },\n\tCU_TEST_INFO_NULL };\n", ["close codes"])):
    got = [t.text for t in titles_of(name, text)]
    assert got == wanted, (name, got)
'
ok "the script measures nesting by control statements and not by indentation" /usr/bin/python3 -B -c '
from importlib.machinery import SourceFileLoader
nesting = SourceFileLoader("prose", "t/helper/prose").load_module().nesting
for body, wanted in (
        ("return 0;", 0),
        ("struct s x = {\n\t\t\t\t.a = { 1, 2 } };\n\treturn f(\n\t\t\t\t    a && b);", 0),
        ("if (a) {\n\tf();\n}", 1),
        ("for (;;)\n\tif (a)\n\t\treturn;", 2),
        ("if (a)\n\tf();\nelse if (b)\n\tg();\nelse\n\th();", 1),
        ("do {\n\tif (a)\n\t\tf();\n} while (b);", 2),
        ("switch (a) {\ncase A:\n\tif (b)\n\t\tf();\n\tbreak;\ndefault:\n\tg();\n}", 2),
        ("LIST_FOREACH (a, b, c) {\n\twhile (d) /* { it'"'"'s { */\n\t\tf(\"{\");\n}", 2)):
    got = nesting(body)
    assert got == wanted, (body, got)
'
done_testing
