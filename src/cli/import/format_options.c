/* SPDX-License-Identifier: ISC */
/* Options of single formats. An option that the format does not read is refused, because the import
   would otherwise ignore it and store records that the administrator did not want. */
#include "config.h"

#include "cli/import/format_options.h"

#include "cli/cli.h"
#include "cli/import/autoindex.h"
#include "cli/import/tool_host.h"

enum { OPTION_TEXT = 200 };

enum kind { KIND_TEXT, KIND_NUMBER, KIND_FLAG, KIND_URL, KIND_PORT };

static const struct {
	const char *name;
	enum kind kind;
	const char *formats;
	bool required;
	size_t at; /* the member in struct format_options */
} options[] = {
#define FORMAT_OPTION(name, kind, formats, required)                                               \
	{ #name, KIND_##kind, formats, required, offsetof(struct format_options, name) },
#include "tbl/format_options.h"
#undef FORMAT_OPTION
};

void
format_options_rows(struct format_arguments *in, struct cli_option *rows)
{
	for (size_t i = 0; i < FORMAT_OPTIONS; i++) {
		rows[i] = (struct cli_option){ .name = options[i].name };
		if (options[i].kind == KIND_FLAG)
			rows[i].flag = &in->flags[i];
		else
			rows[i].text = &in->texts[i];
	}
}

bool
format_is_in(const char *formats, struct str name)
{
	const char *p = memmem(formats, strlen(formats), name.p, name.n);

	return p != NULL && p > formats && p[-1] == ' ' && p[name.n] == ' ';
}

/* Parses the value of an option. Returns NULL, or a description of the values that the option
   accepts. */
static const char *
read_option(const struct cli *c, enum kind kind, struct str text, void *member)
{
	struct opt *number = member;
	struct str transport = STR_NULL;
	struct record listing;
	int64_t port;

	switch (kind) {
	case KIND_FLAG:
		*(bool *)member = true;
		return NULL;
	case KIND_NUMBER:
		number->set =
		    str_int64(text, &number->v) && number->v >= 0 && number->v <= 9007199254740991;
		return number->set ? NULL : "a number from 0 to 9007199254740991";
	case KIND_URL:
		*(struct str *)member = text;
		return autoindex_record(c->arena, text, &listing)
			   ? NULL
			   : "the URL of a directory, such as http://192.0.2.7:8080/pub/";
	case KIND_PORT:
		*(struct str *)member = text;
		return tool_port(text, &port, &transport) ? NULL : "a port, such as 443 or 53/udp";
	case KIND_TEXT:
		*(struct str *)member = text;
		return text.n >= 1 && text.n <= OPTION_TEXT ? NULL : "1 to 200 bytes";
	}
	return NULL;
}

int
format_options_read(const struct cli *c, struct str format, const struct format_arguments *in,
    struct format_options *out)
{
	*out = (struct format_options){ 0 };
	for (size_t i = 0; i < FORMAT_OPTIONS; i++) {
		bool given = in->flags[i] || in->texts[i].p != NULL;
		bool reads = format_is_in(options[i].formats, format);
		const char *wants = NULL;

		if (given && !reads)
			return cli_usage(c, "--%s belongs to --format%.*s", options[i].name,
			    (int)strlen(options[i].formats) - 1, options[i].formats);
		if (reads && !given && options[i].required)
			return cli_usage(c, "--format %.*s needs --%s", (int)format.n, format.p,
			    options[i].name);
		if (given)
			wants = read_option(
			    c, options[i].kind, in->texts[i], (char *)out + options[i].at);
		if (wants != NULL)
			return cli_usage(c, "--%s wants %s", options[i].name, wants);
	}
	return EXIT_OK;
}
