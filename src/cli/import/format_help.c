/* SPDX-License-Identifier: ISC */
/* The formats in the help of surfacectl import and in its messages, from the table. */
#include "config.h"

#include "cli/cli.h"
#include "cli/import/format.h"

const char *
format_names(const struct cli *c, enum dataset d)
{
	const struct format *f = NULL;
	struct buf b = { .a = c->arena };

	while ((f = format_next(d, f)) != NULL)
		buf_printf(&b, "%s%s", b.n > 0 ? ", " : "", f->name);
	buf_char(&b, '\0');
	return b.p;
}

const struct format *
format_option(const struct cli *c, enum dataset d, struct str name, int *status)
{
	const struct format *f = format_find(d, name);

	*status = EXIT_OK;
	if (f != NULL || str_is(name, "auto"))
		return f;
	*status = cli_usage(c, "the format must be one of: auto, %s", format_names(c, d));
	return NULL;
}

int
format_also_option(const struct cli *c, enum dataset d, struct str list, unsigned *also)
{
	struct str name;

	*also = 0;
	if (list.p != NULL && list.n == 0)
		return cli_usage(c, "--also wants datasets such as dns,certificates");
	while (str_part(&list, ',', &name)) {
		enum dataset other = record_dataset(name);

		if (other == DATASETS || format_next(other, NULL) == NULL)
			return cli_usage(
			    c, "--also: there is no dataset %.*s", (int)name.n, name.p);
		if (other != d)
			*also |= 1u << other;
	}
	return EXIT_OK;
}

static void
print_formats(enum dataset d)
{
	const struct format *f = NULL;

	printf("\nformats of %s (--format):\n", record_dataset_name(d));
	printf("  %-12s %s\n", "auto", "by the beginning of the file (the default)");
	while ((f = format_next(d, f)) != NULL)
		printf("  %-12s %s\n", f->name, f->help);
}

void
format_print_help(const struct command *cmd)
{
	for (enum dataset d = 0; d < DATASETS; d++)
		if (format_next(d, NULL) != NULL &&
		    (cmd->sub != NULL || strcmp(cmd->name, record_dataset_name(d)) == 0))
			print_formats(d);
	puts("\nFiles may be compressed by gzip or zstd; surfaced-import(5) has the details.");
}
