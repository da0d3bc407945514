/* SPDX-License-Identifier: ISC */
/* Feeds the XML of nmap and masscan to expat, chunk by chunk. A document is one element, and expat
   ends at the first fault; but a file is the only record of a scan, so a fault costs one host:

     <host> ... </host>            read
     <host> ... <port </host>      expat stops here: the host is reported and left out
     ...                           skipped up to the next "<host"
     <host> ... </host>            a new parser gets "<nmaprun>" first, and goes on here
     </nmaprun>                    ends the element that was made
     <?xml ...><nmaprun ...>       files that were joined: the next document, without a fault

   xml_clean.h mends what can be mended before expat sees it. Inside of a document "<" begins an
   element and nothing else, because attributes have &lt; in its place, so the search finds no host
   in a text. A tag that never ends would make expat keep all of it; the distance between the bytes
   that were fed and the byte that expat has reached is the length of that tag, so it is bounded. */
#include "config.h"

#include "cli/import/nmap_host.h"
#include "cli/import/xml_clean.h"

enum { MARK = 16 }; /* bytes that decide whether a mark is there */

struct feed {
	struct nmap *x;
	struct xml_clean clean;
	uint64_t fed;      /* bytes that the present parser got */
	bool rooted;       /* the file is one of nmap */
	bool too_long;     /* the present parser keeps a tag that is too long */
	bool skipping;     /* up to the next mark */
	bool touching;     /* skipping: nothing but blanks so far */
	struct buf rest;   /* skipping: the bytes that were not searched yet */
	uint64_t line;     /* where the last fault was */
	char message[160]; /* the fault there; empty: it was reported */
};

static bool
parse(struct feed *f, struct str text, bool last)
{
	struct nmap *x = f->x;
	enum XML_Status rc = XML_Parse(x->xml, text.p, (int)text.n, last);

	f->fed += text.n;
	f->rooted = f->rooted || x->depth > 0 || x->ended;
	if (rc == XML_STATUS_OK &&
	    f->fed - (uint64_t)XML_GetCurrentByteIndex64(x->xml) > IMPORT_LINE) {
		x->lost = "a tag is too long";
		f->too_long = true;
	}
	return rc == XML_STATUS_OK && !f->too_long;
}

/* Reports the fault that f->message describes. */
static void
report_xml_fault(struct feed *f, const char *then)
{
	if (f->x->rs->stop)
		return;
	f->x->rs->read++;
	records_bad(f->x->rs, f->line, "%s; %s", f->message, then);
	f->message[0] = '\0';
	nmap_scanned_lost(f->x);
}

/* Remembers the fault at which expat has stopped. */
static void
note_fault(struct feed *f)
{
	struct nmap *x = f->x;
	const char *why = x->refused != NULL ? x->refused
			  : x->lost != NULL  ? x->lost
					     : XML_ErrorString(XML_GetErrorCode(x->xml));
	struct str ip = x->in_host && !x->masscan ? record_text(x->host.root, "ip") : STR_NULL;

	f->line = nmap_line(x);
	snprintf(f->message, sizeof(f->message), "%s%s%.*s", why, ip.n > 0 ? ", in the host " : "",
	    (int)ip.n, ip.p);
	x->lost = NULL;
}

/* The fault is in text, which was the last that expat got: keeps the bytes behind it. */
static void
begin_skipping(struct feed *f, struct str text)
{
	uint64_t before = f->fed - text.n, at = (uint64_t)XML_GetCurrentByteIndex64(f->x->xml);
	size_t from = at <= before ? 0 : at - before < text.n ? (size_t)(at - before) : text.n;

	if (f->too_long)
		from = text.n;
	f->x->lines += XML_GetCurrentLineNumber64(f->x->xml) - 1;
	f->skipping = f->touching = true;
	buf_clear(&f->rest);
	buf_add(&f->rest, text.p + from, text.n - from);
}

static bool
begins_document(struct str s)
{
	return str_starts(s, STR("<?xml")) || str_starts(s, STR("<nmaprun")) ||
	       str_starts(s, STR("<!DOCTYPE nm"));
}

static bool
begins_host(struct str s)
{
	return str_starts(s, STR("<host")) && s.n > 5 && (ascii_space(s.p[5]) || s.p[5] == '>');
}

/* Searches f->rest for the next mark, and leaves there what follows it, or what may be the
   beginning of it. */
static bool
find_mark(struct feed *f, bool last)
{
	struct str s = buf_done(&f->rest);
	size_t i = 0;

	for (; i < s.n && (last || i + MARK <= s.n); i++) {
		struct str rest = { s.p + i, s.n - i };

		if (s.p[i] == '<' && (begins_document(rest) || begins_host(rest)))
			break;
		f->touching = f->touching && ascii_space(s.p[i]);
		f->x->lines += s.p[i] == '\n';
	}
	if (i > 0)
		memmove(f->rest.p, s.p + i, s.n - i);
	f->rest.n = s.n - i;
	return f->rest.n > 0 && (f->rest.n >= MARK || last);
}

/* Feeds a text. False: expat has stopped, and nothing more is to be read. */
static bool
feed_text(struct feed *f, struct str text, bool last)
{
	if (parse(f, text, last))
		return true;
	note_fault(f);
	if (last || f->x->refused != NULL || !f->rooted || f->clean.encoding == XML_UTF16 ||
	    f->x->rs->stop)
		return false;
	begin_skipping(f, text);
	return true;
}

/* Goes on at the mark with which f->rest begins; f->rest is the whole of the file that was read and
   not fed. */
static bool
resume(struct feed *f)
{
	struct nmap *x = f->x;
	struct buf text = f->rest;
	bool document = begins_document(buf_done(&text)), more;

	if (document && x->ended && f->touching)
		f->message[0] = '\0';
	else
		report_xml_fault(f, "reading goes on at the next host");
	f->rest = (struct buf){ .n = 0 };
	f->skipping = f->too_long = false;
	f->fed = 0;
	(void)XML_ParserReset(x->xml, NULL);
	nmap_begin_parser(x);
	x->resumed = !document;
	if (document) {
		nmap_scanned_anew(x);
		x->masscan = false;
	} else if (!parse(f, STR("<nmaprun>"), false)) {
		panic("expat refuses an element");
	}
	more = !x->rs->stop && feed_text(f, buf_done(&text), false);
	buf_free(&text);
	return more;
}

/* Takes the next text of the file; last: it has no more. False: the reading ends. */
static bool
take_clean_text(struct feed *f, struct str text, bool last)
{
	if (f->skipping)
		buf_str(&f->rest, text);
	else if (!feed_text(f, text, false))
		return false;
	while (f->skipping && find_mark(f, last))
		if (!resume(f))
			return false;
	return true;
}

static void
feed_input(struct feed *f)
{
	struct records *rs = f->x->rs;
	struct str bytes;
	bool more;

	do {
		bytes = source_chunk(rs->src);
		more = take_clean_text(f, xml_clean(&f->clean, bytes), bytes.n == 0);
	} while (more && bytes.n > 0);
	if (more && !f->skipping)
		(void)feed_text(f, STR(""), true);
	if (f->message[0] != '\0')
		report_xml_fault(f, "the rest of the file is not read");
}

void
read_nmap(struct records *rs)
{
	struct nmap x = { .rs = rs };
	struct feed f = { .x = &x };

	xml_clean_open(&f.clean, source_peek(rs->src));
	x.xml = XML_ParserCreate(NULL);
	if (x.xml == NULL)
		panic("out of memory");
	nmap_begin_parser(&x);
	feed_input(&f);
	XML_ParserFree(x.xml);
	xml_clean_close(&f.clean);
	buf_free(&f.rest);
	if (x.gathering)
		gather_close(&x.gather);
	if (!x.named)
		records_no_ports(rs, rs->src->line);
	buf_free(&x.text);
	arena_reset(rs->a);
}
