#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import reports: HTML and PDF through a confined child, and converters that fail (C-139).
. t/lib.sh
! nm -D "$BUILD/surfacectl" | grep -q __asan || skip_all "a sanitizer needs more memory than the limit of a converter"
bwrap --unshare-all --ro-bind / / true 2>/dev/null || skip_all "bubblewrap cannot make namespaces here"
pg_start
install -m 755 "$BUILD/surfaced-text" "$BUILD/t/helper/bad-converter" "$W/"
chmod 755 "$W/surfaced-text" "$W/bad-converter"

# converter PROGRAM SECONDS MEMORY: of the imports that follow.
converter()
{
	sed -i '/^text_/d' "$W/etc/surfacectl.conf"
	printf 'text_program = %s\ntext_seconds = %s\ntext_memory = %s\ntext_output = 1\n' "$W/$1" "$2" "$3" >>"$W/etc/surfacectl.conf"
}
reports()
{
	ctl import reports "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}

converter surfaced-text 60 1024
cat >"$W/a.html" <<'END'
<!DOCTYPE html><html><head><title>x</title><script>evil[.]script</script></head><body>
<h1>Ducks at sea</h1><p>See <a href="https://reports.example/ducks">our post</a>.</p>
<h2>Indicators of compromise</h2>
<table><tr><th>type</th><th>value</th></tr><tr><td>domain</td><td>duck-sea[.]com</td></tr></table>
<pre>hxxp://duck-sea[.]com/a</pre></body></html>
END
reports "$W/a.html"
like "$STATUS $OUT" '^0 1 read, 1 new' "a report in HTML is imported"
is "$(sql "SELECT title, source_kind FROM report")" "Ducks at sea|html" "the first heading of HTML is the title"
is "$(sql "SELECT string_agg(value, ' ' ORDER BY value) FROM indicator WHERE disposition = 'indicator'")" \
	"duck-sea.com http://duck-sea.com/a" "indicators of a table and of a block are extracted"
like "$(sql "SELECT text FROM report_text")" 'domain \| duck-sea\[\.\]com' "a row of a table is a line of the text"
like "$(sql "SELECT text FROM report_text")" '\[our post\]\(https://reports.example/ducks\)' "a link keeps its target"
unlike "$(sql "SELECT text FROM report_text")" evil "a script is no text"

if [ -x /usr/bin/pdftotext ]; then
	python3 - "$W/a.pdf" "$W/bomb.pdf" <<'END'
import sys, zlib

def pdf(path, stream, extra=b""):
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<<" + extra + b"/Length %d>>stream\n" % len(stream) + stream + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    out, at = b"%PDF-1.4\n", []
    for i, o in enumerate(objects):
        at.append(len(out))
        out += b"%d 0 obj" % (i + 1) + o + b"endobj\n"
    xref = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % a for a in at)
    open(path, "wb").write(out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % xref)

pdf(sys.argv[1], b"BT /F 12 Tf 50 700 Td (Indicators of compromise) Tj 0 -20 Td (duck-pdf[.]com) Tj ET")
line = b"BT /F 1 Tf 50 700 Td (duck) Tj ET\n"
pdf(sys.argv[2], zlib.compress(line * 4000000, 9), b"/Filter/FlateDecode")
END
	reports --title "A PDF" "$W/a.pdf"
	like "$STATUS $OUT" '^0 1 read, 1 new' "a report in PDF is imported"
	is "$(sql "SELECT value FROM indicator JOIN report ON report.uuid = report_uuid WHERE source_kind = 'pdf' AND disposition = 'indicator'")" \
		duck-pdf.com "indicators of a PDF are extracted"
	converter surfaced-text 2 256
	reports "$W/bomb.pdf" "$W/a.html"
	like "$STATUS $OUT" '^1 2 read, .* 1 unchanged, 1 bad' "a PDF that unpacks without end is one bad record, and the import goes on (C-139)"
	like "$ERR" 'bomb.pdf: its (text is larger than text_output|conversion takes longer than text_seconds)' \
		"the message names the limit that ended it (C-139)"
else
	skip "pdftotext is not installed"
fi

converter surfaced-text 5 256
python3 -c 'print("<html>" + "<div>" * 3000000)' >"$W/deep.html"
python3 -c 'print("<html><body>" + "<b><i><u><a href=x>" * 40000 + "<p>" * 40000)' >"$W/format.html"
reports "$W/deep.html" "$W/format.html" "$W/a.html"
like "$STATUS $OUT" '^1 3 read, .* 1 unchanged, [12] bad' "HTML of a million levels is a bad record at most, and the import goes on (C-139)"

for fault in FLOOD MEMORY CRASH; do
	echo "<html>$fault</html>" >"$W/$fault.html"
done
converter bad-converter 60 256
echo '<html># Fine</html>' >"$W/fine.html"
reports "$W/FLOOD.html" "$W/MEMORY.html" "$W/CRASH.html" "$W/fine.html"
like "$STATUS $OUT" '^1 4 read, 1 new, .* 3 bad' "converters that write 1 GiB, take all memory or die are bad records, and the import goes on (C-139)"
like "$ERR" 'FLOOD.html: its text is larger than text_output' "the message names the limit of the text (C-139)"
converter bad-converter 1 256
echo '<html>ENDLESS</html>' >"$W/endless.html"
reports "$W/endless.html" "$W/fine.html"
like "$STATUS $OUT" '^1 2 read, .* 1 unchanged, 1 bad' "a converter that never ends is killed, and the import goes on (C-139)"
like "$ERR" 'endless.html: its conversion takes longer than text_seconds' "the message names the limit of the time (C-139)"
converter none 60 256
reports "$W/endless.html"
like "$STATUS $OUT/$ERR" '^1 1 read, .* 1 bad.*the program of text_program cannot be executed' "a converter that is not there is no fault of the file, and is named"
