/* SPDX-License-Identifier: ISC */
/* src/extract: what is an indicator in a text, and how sure that is. */
#include "config.h"

#include "base/limits.h"
#include "extract/extract.h"
#include "t/unit/tap.h"

static struct arena *arena;

static const char sha256[] = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
static const char md5[] = "900150983cd24fb0d6963f7d28e17f72";

static struct extract_output
run_on(const char *text)
{
	struct extract_input in = { .text = str_of(text) };

	return extract(arena, &in);
}

static const struct indicator *
find(const struct extract_output *o, const char *type, const char *value)
{
	for (size_t i = 0; i < o->n; i++)
		if (str_is(o->indicators[i].type, type) && str_is(o->indicators[i].value, value))
			return &o->indicators[i];
	return NULL;
}

/* One letter for a judgement: i indicator, m mention, g ignored, - absent. */
static char
verdict(const struct extract_output *o, const char *type, const char *value)
{
	const struct indicator *i = find(o, type, value);

	return i == NULL ? '-' : "img"[i->disposition];
}

static const struct row {
	const char *text, *type, *value;
	char verdict;
} rows[] = {
	/* C-133 */
	{ "Run setup.py first.", "domain", "setup.py", '-' },
	{ "See main.rs for more.", "domain", "main.rs", '-' },
	{ "It drops evil.zip there.", "domain", "evil.zip", '-' },
	{ "It asks evil[.]zip then.", "domain", "evil.zip", 'i' },
	{ "Fixed in version 1.2.3.4 of it.", "ipv4", "1.2.3.4", '-' },
	{ "The gateway is 10.0.0.1 here.", "ipv4", "10.0.0.1", 'g' },
	{ "An empty file d41d8cd98f00b204e9800998ecf8427e is harmless.", "md5",
	    "d41d8cd98f00b204e9800998ecf8427e", 'g' },
	{ "# IOCs\n\n- RC4 key: 900150983cd24fb0d6963f7d28e17f72", "md5", md5, 'm' },
	{ "The session token 900150983cd24fb0d6963f7d28e17f72 is fixed.", "md5", md5, 'm' },
	/* the output of an author's tools, and what stands beside a value */
	{ "## IOCs\n```\n$ nslookup evil-c2.com\nServer: 45.90.28.10\nAddress: 45.90.28.10#53\n```\n",
	    "ipv4", "45.90.28.10", 'm' },
	{ "## IOCs\n```\nnslookup x\nName: evil-c2.com\n```\n\n- bad-c2.com\n", "domain",
	    "bad-c2.com", 'i' },
	{ "## IOCs\n| 45.9.20.14 | 45.9.0.0/16 | AS64500 |\n", "cidr", "45.9.0.0/16", 'm' },
	{ "## IOCs\n| 45.9.20.14 | 45.9.0.0/16 | AS64500 |\n", "ipv4", "45.9.20.14", 'i' },
	{ "## IOCs\n- 45.9.0.0/16\n", "cidr", "45.9.0.0/16", 'i' },
	{ "## IOCs\n- 45.9.20.14, 91.2.0.0/16\n", "cidr", "91.2.0.0/16", 'i' },
	{ "Cookie: PHPSESSID=900150983cd24fb0d6963f7d28e17f72; path=/", "md5", md5, 'm' },
	{ "```\ncipher = Blowfish.new(key)\n```\n", "domain", "blowfish.new", '-' },
	{ "<h2>Indicators of compromise</h2>\n\n- evil-host.com\n", "domain", "evil-host.com",
	    'i' },
	{ "Indicators of compromise\n\nPackage Name        Sha256\ncom.foo.bar  x\n\n"
	  "Servers of the group\n\nevil-host[.]com\n",
	    "domain", "evil-host.com", 'i' },
	{ "Package names\n\ncom.foo.bar\n\nThe servers\n\n900150983cd24fb0d6963f7d28e17f72 "
	  "evil[.]top\n",
	    "domain", "evil.top", 'i' },
	/* C-134 */
	{ "## IOCs\n| https://drive.google.com/uc?id=x | dropper |", "url",
	    "https://drive.google.com/uc?id=x", 'i' },
	{ "## IOCs\n- example.com\n", "domain", "example.com", 'g' },
	/* C-900: sections */
	{ "# Indicators of Compromise\n\n## Files\n\n### Family\n\nevil-host.com\n", "domain",
	    "evil-host.com", 'i' },
	{ "= Turla IoCs\n\n== Network\n\n* evil-host.com\n", "domain", "evil-host.com", 'i' },
	{ "# A\n\nevil-host.com is known.\n", "domain", "evil-host.com", 'm' },
	{ "# A\n## IOCs\nx\n## Conclusion\n- evil-host.com\n", "domain", "evil-host.com", 'm' },
	{ "Title\n=====\n\nIOCs\n----\n\nevil-host.com\n", "domain", "evil-host.com", 'i' },
	{ "**Indicators of compromise**\n\nC2: evil-host.com:443\n", "domain", "evil-host.com",
	    'i' },
	{ "Text.\n\nIndicators of Compromise\n\nevil-host.com\n", "domain", "evil-host.com", 'i' },
	/* names below .com, and lists */
	{ "# IOCs\ndomain,comment\nevil-host.com,first stage\n", "domain", "evil-host.com", 'i' },
	/* plain hashes */
	{ "The sample is 900150983cd24fb0d6963f7d28e17f72 (packed).", "md5", md5, 'i' },
	{ "900150983CD24FB0D6963F7D28E17F72", "md5", md5, 'i' },
	{ "x 900150983cd24fb0d6963f7d28e17f72.exe", "md5", md5, 'i' },
	/* C-900: titles about targets, and labels that end a list of references */
	{ "# A\n## Foo Targets Banks with Bar (2021)\n### "
	  "Samples\n900150983cd24fb0d6963f7d28e17f72\n",
	    "md5", md5, 'i' },
	{ "# IOCs\n## Foo targets banks in Bar\n### Network\nevil-host.com\n", "domain",
	    "evil-host.com", 'i' },
	{ "# IOCs\n## Targeted networks\nbank[.]com\n", "domain", "bank.com", 'm' },
	{ "# IOCs\n## Known victims\nbank[.]com\n", "domain", "bank.com", 'm' },
	{ "# IOCs\n## Targeted foo.dll\n900150983cd24fb0d6963f7d28e17f72\n", "md5", md5, 'i' },
	{ "REFERENCES:\n\n- x\n\nTRAFFIC:\n\n- evil-host[.]com\n", "domain", "evil-host.com", 'i' },
	{ "# IOCs\nReport: https://evil-host.com/a\n", "url", "https://evil-host.com/a", 'm' },
	{ "# IOCs\nSee the post\nhttps://evil-host.com/a\n", "url", "https://evil-host.com/a",
	    'm' },
	{ "# IOCs\nFoo Research | www.evil-host.com      12\n", "domain", "www.evil-host.com",
	    'm' },
	/* Lists without a heading, and headings in other languages */
	{ "value,type,notes\nevil-host.com,hostname,\n", "domain", "evil-host.com", 'i' },
	{ "Foo\n\n| Type | Value |\n|---|---|\n| Domain | evil-host.com |\n\nSee bar-host.com "
	  "now.\n",
	    "domain", "bar-host.com", 'm' },
	{ "a-host.com\nb-host.com\nc-host.com\n1.2.3.4\ne-host.com\n", "domain", "b-host.com",
	    'i' },
	{ "# A\n## Indicateurs de compromission\n### R\u00e9seau\n- evil-host.com\n", "domain",
	    "evil-host.com", 'i' },
	/* Values that a narrow column broke */
	{ "SHA-256\n2c26b46b68ffc68ff99b453c1d304134\n13422d706483bfa0f98a5e886266e7ae\n", "sha256",
	    sha256, 'i' },
	{ "SHA-256\n2c26b46b68ffc68ff99b453c1d304134\n13422d706483bfa0f98a5e886266e7ae\n", "md5",
	    "13422d706483bfa0f98a5e886266e7ae", '-' },
	{ "MD5\n2c26b46b68ffc68ff99b453c1d304134\n13422d706483bfa0f98a5e886266e7ae\n", "md5",
	    "13422d706483bfa0f98a5e886266e7ae", 'i' },
	{ "It asks evil-\nhost[.]com then.", "domain", "evil-host.com", 'i' },
	{ "900150983cd24fb0d6963f7d28e17f72[.]xyz", "domain",
	    "900150983cd24fb0d6963f7d28e17f72.xyz", 'i' },
	{ "hxxp://evil-host[.]com/a[v1]/b.php", "url", "http://evil-host.com/a[v1]/b.php", 'i' },
	/* hashes beside words about keys */
	{ "It drops token.dll. The file 900150983cd24fb0d6963f7d28e17f72 runs.", "md5", md5, 'i' },
	{ "The import hash (900150983cd24fb0d6963f7d28e17f72) is common.", "md5", md5, 'm' },
	{ "SHA1 900150983cd24fb0d6963f7d28e17f72 Certificate thumbprint", "md5", md5, 'm' },
	{ "cert_sha1,8843d7f92416211de9ebb963ff4ce28125932878,of Foo", "sha1",
	    "8843d7f92416211de9ebb963ff4ce28125932878", 'm' },
	{ "# IOCs\n| Host | Certificate SHA-256 |\n|---|---|\n| 1.2.3.4 | "
	  "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae |\n",
	    "certificate_sha256", sha256, 'i' },
	/* C-901: code and packages */
	{ "It calls WScript.Shell and fs.read then.", "domain", "wscript.shell", '-' },
	{ "It calls WScript.Shell and fs.read then.", "domain", "fs.read", '-' },
	{ "# IOCs\n\n- com.tencent.mm\n", "domain", "com.tencent.mm", '-' },
	{ "```\nx = evil-host.com + 1\n```\n", "domain", "evil-host.com", 'm' },
	{ "# IOCs\n```\nevil-host.com\n```\n", "domain", "evil-host.com", 'i' },
	/* C-900: victims */
	{ "# IOCs\n## Targeted networks\n- 45.33.32.0/24\n", "cidr", "45.33.32.0/24", 'm' },
	/* C-135: references */
	{ "# IOCs\nMore in [the post](https://blog.vendor-site.com/post)\n", "url",
	    "https://blog.vendor-site.com/post", 'm' },
	{ "= X IoCs\nhttps://blog.vendor-site.com/post[the post]\n", "url",
	    "https://blog.vendor-site.com/post", 'm' },
	{ "# IOCs\n- https://www.virustotal.com/gui/file/x\n", "url",
	    "https://www.virustotal.com/gui/file/x", 'g' },
	/* C-134: a disarmed value of a list */
	{ "# IOCs\n- dns[.]google\n", "domain", "dns.google", 'm' },
	/* C-132: odd spellings */
	{ "# IOCs\n|+45.33.32[.]156+|x\n", "ipv4", "45.33.32.156", 'i' },
	{ "`evil-host[.]com`", "domain", "evil-host.com", 'i' },
	{ "xn\xe2\x80\x93mnchen-3ya[.]de", "domain", "xn--mnchen-3ya.de", 'i' },
	{ "hxxps://[evil-host.com]/a", "url", "https://evil-host.com/a", 'i' },
	/* a URL without its scheme */
	{ "# IOCs\ndigital-resolve[.]live/a/b.php\n", "domain", "digital-resolve.live", 'i' },
	/* C-901: the name of a detection */
	{ "A variant 36085FC@Microsoft was seen.", "email", "36085fc@microsoft", '-' },
	/* C-901: what no author lists as an indicator */
	{ "# IOCs\n- CVE-2024-12345\n- T1059.001\n- AS64496\n", "cve", "CVE-2024-12345", 'm' },
	{ "# IOCs\n- CVE-2024-12345\n- T1059.001\n- AS64496\n", "technique", "T1059.001", 'm' },
	{ "# IOCs\n- CVE-2024-12345\n- T1059.001\n- AS64496\n", "asn", "AS64496", 'm' },
	/* underscores */
	{ "# IOCs\n- dl_dir.evil-host.com\n", "domain", "dl_dir.evil-host.com", 'i' },
	{ "# IOCs\n- evil_host.com\n", "domain", "evil_host.com", '-' },
	/* other shapes */
	{ "hxxp://evil-host[.]com/a(b)c.", "url", "http://evil-host.com/a(b)c", 'i' },
	{ "(hxxp://evil-host[.]com/a), then", "url", "http://evil-host.com/a", 'i' },
	{ "\"hxxp://evil-host[.]com/a\",x", "url", "http://evil-host.com/a", 'i' },
	{ "hxxp://45.33.32[.]156:8080/x", "url", "http://45.33.32.156:8080/x", 'i' },
	{ "# IOCs\n45.33.32.156:8080\n", "ipv4", "45.33.32.156", 'i' },
	{ "# IOCs\n2a01:4f8:0:1::2\n", "ipv6", "2a01:4f8:0:1::2", 'i' },
	{ "2a01[:]4f8[:]0[:]1[:][:]2", "ipv6", "2a01:4f8:0:1::2", 'i' },
	{ "# IOCs\n- bad[@]evil-host[.]com\n", "email", "bad@evil-host.com", 'i' },
	{ "m\xc3\xbcnchen[.]de", "domain", "xn--mnchen-3ya.de", 'i' },
	{ "evil[.]duckdns[.]org", "domain", "evil.duckdns.org", 'i' },
	{ "2c26b46b68ffc68ff99b453c1d304134\n13422d706483bfa0f98a5e886266e7ae", "sha256", sha256,
	    '-' },
	{ "2c26b46b68ffc68ff99b453c1d30413413422d70648\n3bfa0f98a5e886266e7ae", "sha256", sha256,
	    'i' },
	{ "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
	    'i' },
	{ "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
	    '-' },
	{ "# IOCs\njarm 27d40d40d29d40d1dc42d43d00041d4689ee210389f4f6b4b5b1b93f92252d\n", "jarm",
	    "27d40d40d29d40d1dc42d43d00041d4689ee210389f4f6b4b5b1b93f92252d", 'i' },
};

static void
rows_are_judged(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct extract_output o = run_on(rows[i].text);
		char got = verdict(&o, rows[i].type, rows[i].value);

		if (got != rows[i].verdict) {
			printf("# %s: %s %s is %c, not %c\n", rows[i].text, rows[i].type,
			    rows[i].value, got, rows[i].verdict);
			for (size_t k = 0; k < o.n; k++)
				printf("#   %s %.*s %u\n", o.indicators[k].type.p,
				    (int)o.indicators[k].value.n, o.indicators[k].value.p,
				    o.indicators[k].confidence);
		}
		CU_ASSERT_EQUAL(got, rows[i].verdict);
	}
}

static void
confidences_are_those_of_the_table(void)
{
	struct extract_output o =
	    run_on("a1-host[.]com a2-host.com\n# IOCs\n- a3-host[.]com\n- a4-host.com\n");

	CU_ASSERT_EQUAL(find(&o, "domain", "a1-host.com")->confidence, 70);
	CU_ASSERT_EQUAL(find(&o, "domain", "a2-host.com")->confidence, 30);
	CU_ASSERT_EQUAL(find(&o, "domain", "a3-host.com")->confidence, 80);
	CU_ASSERT_EQUAL(find(&o, "domain", "a4-host.com")->confidence, 60);
	CU_ASSERT_TRUE(str_is(find(&o, "domain", "a4-host.com")->section, "IOCs"));
	CU_ASSERT_TRUE(find(&o, "domain", "a3-host.com")->defanged);
	CU_ASSERT_FALSE(find(&o, "domain", "a4-host.com")->defanged);
}

/* C-135 */
static void
own_words_are_mentions(void)
{
	struct extract_input in = {
		.text = STR("# IOCs\n- https://www.vendor-site.com/a\n- www.vendor-site.com\n- "
			    "https://other-lab.net/x\n- evil-host.com\n"),
		.url = STR("https://blog.vendor-site.com/2024/post"),
		.publisher = STR("Other Lab")
	};
	struct extract_output o = extract(arena, &in);

	in.publisher = STR("other-lab");
	o = extract(arena, &in);
	CU_ASSERT_EQUAL(find(&o, "url", "https://www.vendor-site.com/a")->confidence, 10);
	CU_ASSERT_EQUAL(verdict(&o, "domain", "www.vendor-site.com"), 'm');
	CU_ASSERT_EQUAL(verdict(&o, "domain", "evil-host.com"), 'i');
}

/* C-134 with the lists of a caller. */
static void
lists_judge_exact_values(void)
{
	static const struct extract_benign lists[] = {
		{ STR_INIT("common"), STR_INIT("domain"), STR_INIT("google.com") },
		{ STR_INIT("common"), STR_INIT("url"), STR_INIT("https://drive.google.com/") },
	};
	struct extract_input in = {
		.text = STR("# IOCs\n| https://drive.google.com/uc?id=x |\n| google.com |\n"
			    "| drive.google.com |\n| t[.]me |\n"),
		.benign = lists,
		.nbenign = 2
	};
	struct extract_output o = extract(arena, &in);

	CU_ASSERT_EQUAL(verdict(&o, "url", "https://drive.google.com/uc?id=x"), 'i');
	CU_ASSERT_EQUAL(verdict(&o, "domain", "google.com"), 'g');
	CU_ASSERT_TRUE(str_is(find(&o, "domain", "google.com")->ignored_by, "common"));
	CU_ASSERT_EQUAL(verdict(&o, "domain", "drive.google.com"), 'i');
	CU_ASSERT_EQUAL(verdict(&o, "domain", "t.me"), 'i');
}

/* C-143 */
static void
contexts_hold_no_live_link(void)
{
	struct buf text = { .a = arena };
	struct extract_output o;

	buf_printf(&text, "%s",
	    "First one. It asks hxxp://evil-host[.]com/a and https://other-host.com/b. Last one. ");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "a%d.evil-host[.]com \xc3\xbc, ", i);
	buf_char(&text, '\0');
	o = run_on(text.p);
	CU_ASSERT_TRUE(o.n > 100);
	for (size_t i = 0; i < o.n; i++) {
		struct str c = o.indicators[i].context;

		CU_ASSERT_TRUE(c.p != NULL && str_chars(c) <= 300 && str_utf8_bad(c) == c.n);
		CU_ASSERT_PTR_NULL(memmem(c.p, c.n, "http", 4));
		CU_ASSERT_PTR_NULL(memmem(c.p, c.n, "host.com", 8));
	}
	CU_ASSERT_TRUE(str_is(find(&o, "url", "http://evil-host.com/a")->context,
	    "It asks hxxp://evil-host[.]com/a and hxxps://other-host[.]com/b."));
}

static void
names_of_the_vocabulary_are_whole_words(void)
{
	static const struct extract_alias aliases[] = {
		{ STR_INIT("actor"), STR_INIT("APT28"), STR_INIT("Fancy Bear"), false },
		{ STR_INIT("tool"), STR_INIT("At"), STR_INIT("at"), true },
	};
	struct extract_input in = {
		.text = STR("Fancy Bears look at it."), .aliases = aliases, .naliases = 2
	};
	struct extract_output o = extract(arena, &in);

	CU_ASSERT_EQUAL(o.nnames, 0);
	in.text = STR("Fancy Bear looks at it.");
	o = extract(arena, &in);
	CU_ASSERT_EQUAL_FATAL(o.nnames, 2);
	CU_ASSERT_TRUE(
	    str_is(o.names[0].name, "APT28") && str_is(o.names[0].matched_as, "Fancy Bear"));
}

/* ---- C-140 ---- */

static struct extract_output
repeat(const char *piece, size_t bytes)
{
	char *text = mem_alloc(bytes);
	struct extract_input in = { .text = { text, bytes } };
	struct arena *a = arena_new(64 << 20);
	struct extract_output o;
	size_t n = strlen(piece);

	for (size_t i = 0; i < bytes; i++)
		text[i] = piece[i % n];
	o = extract(a, &in);
	arena_free(a);
	free(text);
	return o;
}

static const char *const hostile[] = { "a", "a.", ".", "http://", "http://a.com/",
	"http://http:", "hxxp", "[.]", "[.", "a@", "a@b.com ", "::", "1:", "1.2.3.4 ", "1.1.1.",
	"0123456789abcdef", "deadbeef\n", "deadbeef-", "# a\n", "```\n", "|", "| a.com ", "=",
	"\xcc\x81", "e\xcc\x81", "\xff", "\xe2\x80\x8b", "\xc3\xa9.com ", " dot ", "**a:\n", "(",
	"http://a.com/((((", "[a](", "\\", "<", "key ", "http://a.com/[", "CVE-2020-",
	"1A1zP1eP5QGefi2D", "\n", "\t" };

static void
work_grows_linearly_with_the_text(void)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		size_t small = repeat(hostile[i], 1 << 15).steps,
		       large = repeat(hostile[i], 1 << 18).steps;

		if (large > 9 * small + 1000 || large > ((size_t)64 << 18))
			printf("# \"%s\": %zu and %zu steps\n", hostile[i], small, large);
		CU_ASSERT_TRUE(large <= 9 * small + 1000);
		CU_ASSERT_TRUE(large <= (size_t)64 << 18);
	}
}

static void
eight_mebibytes_are_read_in_64_of_memory(void)
{
	static const char *const pieces[] = { "http://http://a.b/", "a.com b.net 1.2.3.4 ",
		"\xff\x00x", "e\xcc\x81.com\n" };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
		CU_ASSERT_TRUE(repeat(pieces[i], 8 << 20).steps > 0);
}

static void
the_limit_of_indicators_truncates(void)
{
	struct buf b = { 0 };
	struct extract_output o;
	struct arena *a = arena_new(64 << 20);
	struct extract_input in = { 0 };

	for (int i = 0; i <= LIM_REPORT_INDICATORS; i++)
		buf_printf(&b, "a%d[.]com\n", i);
	in.text = buf_done(&b);
	o = extract(a, &in);
	CU_ASSERT_EQUAL(o.n, LIM_REPORT_INDICATORS);
	CU_ASSERT_TRUE(o.truncated);
	arena_free(a);
	buf_free(&b);
}

/* The marked parts of a text, between bars. */
static void
marks_are(const char *text, const char *wanted)
{
	struct extract_input in = { .text = str_of(text), .marks = true };
	struct extract_output o = extract(arena, &in);
	struct buf b = { .a = arena };

	for (size_t i = 0; i < o.nmarks; i++)
		buf_printf(&b, "%s%.*s=%.*s", i > 0 ? "|" : "",
		    (int)(o.marks[i].end - o.marks[i].start), text + o.marks[i].start,
		    (int)o.indicators[o.marks[i].indicator].value.n,
		    o.indicators[o.marks[i].indicator].value.p);
	if (!str_is(buf_done(&b), wanted))
		fprintf(stderr, "got:    %.*s\nwanted: %s\n", (int)b.n, b.p, wanted);
	CU_ASSERT_TRUE(str_is(buf_done(&b), wanted));
}

static void
marks_are_where_the_values_are(void)
{
	struct buf b = { .a = arena };

	marks_are("nothing here", "");
	marks_are("hxxps://evil[.]com/a and evil[.]com, then evil.com.",
	    "hxxps://evil[.]com/a=https://evil.com/a|evil[.]com=evil.com|evil.com=evil.com");
	marks_are("\xe2\x80\x9c"
		  "evil\xe2\x80\x8b[.]com\xe2\x80\x9d 1[.]2[.]3[.]4",
	    "evil\xe2\x80\x8b[.]com=evil.com|1[.]2[.]3[.]4=1.2.3.4");
	marks_are("a bu\xcc\x88"
		  "cher[.]de here, xyz[.]de",
	    "bu\xcc\x88"
	    "cher[.]de=xn--bcher-kva.de|xyz[.]de=xyz.de");
	marks_are(
	    "\xff\xfe evil[.]com\r\nand evil[dot]org", "evil[.]com=evil.com|evil[dot]org=evil.org");
	for (int i = 0; i < 200; i++)
		buf_z(&b, "l\xe2\x80\x8b\xe2\x80\x8b");
	buf_z(&b, " evil[.]com");
	buf_char(&b, '\0');
	marks_are(buf_done(&b).p, "evil[.]com=evil.com");
}

static void
a_text_gives_no_times(void)
{
	struct extract_output o = run_on("# IOCs\n\n- evil[.]com\n");
	const struct indicator *i = find(&o, "domain", "evil.com");

	CU_ASSERT_PTR_NOT_NULL_FATAL(i);
	CU_ASSERT_TRUE(ts_is_null(i->first_seen_at) && ts_is_null(i->last_seen_at) &&
		       ts_is_null(i->valid_until));
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "C-133, C-134, C-900, C-901: each text is judged as its row says",
		    rows_are_judged },
		{ "an indicator has the confidence of its section and its spelling",
		    confidences_are_those_of_the_table },
		{ "C-135: the publisher's own names and links are mentions",
		    own_words_are_mentions },
		{ "C-134: a list judges exact values and no URL below a name",
		    lists_judge_exact_values },
		{ "C-143: a context has no live link and at most 300 characters",
		    contexts_hold_no_live_link },
		{ "a name of the vocabulary is found as whole words only",
		    names_of_the_vocabulary_are_whole_words },
		{ "C-140: work grows linearly with hostile texts",
		    work_grows_linearly_with_the_text },
		{ "C-140: 8 MiB of hostile bytes need less than 64 MiB",
		    eight_mebibytes_are_read_in_64_of_memory },
		{ "a report has no more indicators than its limit",
		    the_limit_of_indicators_truncates },
		{ "each occurrence of a value is marked where the given text has it",
		    marks_are_where_the_values_are },
		{ "an indicator of a text has no times, since the text has none",
		    a_text_gives_no_times },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(64 << 20);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
