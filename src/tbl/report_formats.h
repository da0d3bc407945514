/* The formats of surfacectl import reports beside ndjson, which tbl/formats.h has:

     REPORT_FORMAT(name, reader, sign, describes, help)

   reader      the function report_read_<reader> of src/cli/report
   sign        a text in the first 32 KiB of a file by which --format auto recognises the format
               (src/cli/report/guess.c); if it begins with a quote, the file must be JSON
   describes   1: --title, --publisher, --url, --published-at, --tlp and --language describe the
               report of a file; the other formats have these members themselves, so the options are
               refused */
REPORT_FORMAT(stix,	stix,	"\"bundle\"",	0, "bundles of STIX 2.0 and 2.1")
REPORT_FORMAT(misp,	misp,	"\"Event\"",	0, "events of MISP")
REPORT_FORMAT(pdf,	pdf,	"%PDF-",	1, "a report in PDF, by pdftotext")
REPORT_FORMAT(html,	html,	"<html",	1, "a report in HTML")
REPORT_FORMAT(text,	text,	"",		1, "a report in plain text or Markdown")
