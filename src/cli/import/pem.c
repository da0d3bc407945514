/* SPDX-License-Identifier: ISC */
/* Readers of certificates in PEM and DER.
 *
 * PEM files contain other blocks and texts, too: keys, parameters, text between the blocks. The
 * blocks are found by their lines and only those of certificates are decoded, so that no key is
 * ever read and no user is asked for a pass phrase. */
#include "config.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_json.h"

static const struct {
	struct str label;
	bool trusted;
} labels[] = {
	{ STR_INIT("CERTIFICATE"), false },
	{ STR_INIT("X509 CERTIFICATE"), false },
	{ STR_INIT("TRUSTED CERTIFICATE"), true },
};

/* The label of a line "-----BEGIN label-----"; STR_NULL: it is no such line. */
static struct str
pem_label(struct str line, struct str begin)
{
	while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
		line.n--;
	if (!str_starts(line, begin) || !str_ends(line, STR("-----")) || line.n < begin.n + 5)
		return STR_NULL;
	return (struct str){ line.p + begin.n, line.n - begin.n - 5 };
}

bool
certificate_parse(
    struct records *rs, bool trusted, struct str *der, struct record *out, uint64_t line)
{
	const char *why;

	if (record_certificate(rs->a, trusted, der, out, &why))
		return true;
	records_bad(rs, line, "the certificate is refused: %s", why);
	return false;
}

bool
certificate_of_base64(struct arena *a, struct str base64, struct str *der)
{
	unsigned char *bytes = arena_alloc(a, base64.n + 1);
	size_t n;

	if (!base64_parse(base64, bytes, base64.n, &n))
		return false;
	*der = (struct str){ (char *)bytes, n };
	return true;
}

bool
certificate_of_pem(struct arena *a, struct str pem, struct str *der)
{
	struct buf base64 = { .a = a };
	struct str line, label = STR_NULL;

	while (str_line(&pem, &line)) {
		line = str_trim(line);
		if (label.p == NULL)
			label = pem_label(line, STR("-----BEGIN "));
		else if (pem_label(line, STR("-----END ")).p != NULL)
			return str_is(label, "CERTIFICATE") &&
			       certificate_of_base64(a, buf_done(&base64), der);
		else
			buf_str(&base64, line);
	}
	return false;
}

/* Tools mix alternative names with common names, so the stricter rule for common names is used. */
void
certificate_add_names(struct records *rs, struct record *r, const struct json_value *list)
{
	for (size_t i = 0; i < tool_items(list); i++) {
		struct str name = tool_text(tool_item(list, i));

		if (str_ends(name, STR(".")))
			name.n--;
		if (certificate_common_name(name))
			record_add(rs->a, r->root, "names", name);
	}
}

static void
emit_certificate(struct records *rs, bool trusted, struct str der, uint64_t line)
{
	struct record r;

	if (certificate_parse(rs, trusted, &der, &r, line))
		records_emit(rs, &r, der, RECORD_LENIENT, line);
}

static void
decode_block(struct records *rs, struct str label, struct str base64, uint64_t line)
{
	struct str der;

	for (size_t i = 0; i < COUNT(labels); i++) {
		if (!str_eq(labels[i].label, label))
			continue;
		if (certificate_of_base64(rs->a, base64, &der))
			emit_certificate(rs, labels[i].trusted, der, line);
		else
			records_bad(rs, line, "the block is no base64");
		return;
	}
	rs->skipped++;
}

/* Reads the lines of a block up to its end. False: the file ends before. */
static bool
read_pem_block(struct records *rs, struct buf *base64)
{
	struct str line;

	for (;;) {
		enum source_line how = source_line(rs->src, &line);

		if (how == SOURCE_END)
			return false;
		if (pem_label(line, STR("-----END ")).p != NULL)
			return true;
		/* too large for a certificate in any case, so its end need not be kept */
		if (how == SOURCE_TOO_LONG || base64->n > 4 * CERTIFICATE_DER)
			continue;
		for (size_t i = 0; i < line.n; i++)
			if (line.p[i] != ' ' && line.p[i] != '\t')
				buf_char(base64, line.p[i]);
	}
}

void
read_pem(struct records *rs)
{
	enum source_line how;
	struct str line;

	while (!rs->stop && (how = source_line(rs->src, &line)) != SOURCE_END) {
		struct str label = pem_label(line, STR("-----BEGIN "));
		uint64_t at = rs->src->line;
		struct buf base64 = { .a = rs->a };

		if (how == SOURCE_TOO_LONG || label.p == NULL)
			continue; /* text between the blocks */
		if (!records_next(rs))
			return;
		label = arena_str(rs->a, label);
		if (read_pem_block(rs, &base64))
			decode_block(rs, label, buf_done(&base64), at);
		else
			records_bad(rs, at, "the block has no end");
	}
}

void
read_der(struct records *rs)
{
	struct buf all = { 0 };
	struct str part;

	while ((part = source_chunk(rs->src)).n > 0 && all.n <= CERTIFICATE_DER)
		buf_add(&all, part.p, part.n);
	if (all.n > 0 && records_next(rs))
		emit_certificate(rs, false, buf_done(&all), 1);
	buf_free(&all);
}
