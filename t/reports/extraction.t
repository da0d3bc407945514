#!/bin/sh
# SPDX-License-Identifier: ISC
# Extraction from the texts of t/reports/corpus, which were written before the rules were seen. Below the line "%%" a text
# has what its author expects, a row each:
#
#     + type value          an indicator; any other indicator of the text is wrong
#     ~ type value          a mention
#     - type value class    a trap: a reference, a name of code, a package, a victim, an own word of the author
#
# The hash of the name of a file splits them into tuned and held-out ones (t/bench/extract). C-133, C-135.
#
# The reports of t/reports/pdf are as real tools make them (t/helper/pdf-corpus), with tables of one to four columns.
. t/lib.sh
OUT=$(TOP_BUILDDIR=$BUILD python3 t/bench/extract --aims 2>&1)
like "$OUT" '^tuned: .* [0-9]+ texts' "the tuned texts are read"
like "$OUT" 'held-out: .* [0-9]+ texts' "the held-out texts are read"
is "$(printf '%s\n' "$OUT" | grep '^tuned misses')" "" \
	"in tuned texts each type has a precision of 0.95 and a recall of 0.98, and at most one trap in twenty is an indicator (C-804)"
is "$(printf '%s\n' "$OUT" | grep '^held-out misses')" "" \
	"in held-out texts each type has a precision of 0.95 and a recall of 0.98, and at most one trap in twenty is an indicator (C-804)"

# A sanitizer needs more memory than the limit of a converter.
if ! nm -D "$BUILD/surfacectl" | grep -q __asan && bwrap --unshare-all --ro-bind / / true 2>/dev/null && [ -x /usr/bin/pdftotext ]; then
	OUT=$(TOP_BUILDDIR=$BUILD python3 t/bench/extract --aims-pdf 2>&1)
	like "$OUT" '^PDF: .* 29 texts' "the PDFs are read"
	is "$(printf '%s\n' "$OUT" | grep '^PDF misses')" "" \
		"in PDFs each type has a precision of 0.95 and a recall of 0.98, and at most one trap in twenty is an indicator (C-804)"
	diag "$OUT"
else
	skip "PDFs cannot be converted here"
fi
