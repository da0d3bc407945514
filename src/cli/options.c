/* SPDX-License-Identifier: ISC */
/* Parses the arguments of a command by its table of options. Options and words may come in any
   order, "--" ends the options, and --json and --wide are allowed behind every command as well as
   before it.

     --name value     --name=value     --flag

   Texts must be UTF-8, since the database would refuse them much later and less clearly. Results
   are views of argv, so they are NUL-terminated, which callers rely on for file names. */
#include "config.h"

#include "cli/cli.h"

enum { SHOWN = 200 }; /* characters of a wrong argument that a message shows */

/* way: 1 for a time from now on, -1 for one before now. */
static bool
parse_distance(struct str s, int64_t way, struct ts *out)
{
	static const struct {
		char unit;
		int64_t us;
	} units[] = {
		{ 'd', DAY_US },
		{ 'h', 3600 * SECOND_US },
		{ 'm', 60 * SECOND_US },
	};
	int64_t n;

	if (s.n < 2 || !str_int64((struct str){ s.p, s.n - 1 }, &n) || n < 1 || n > 1000000)
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (s.p[s.n - 1] == units[i].unit) {
			out->us = ts_now().us + way * n * units[i].us;
			return true;
		}
	}
	return false;
}

static bool
parse_time(struct str s, int64_t way, struct ts *out)
{
	return ts_parse(s, out) || ts_parse_date(s, out) || parse_distance(s, way, out);
}

static bool
take_option_value(const struct cli *c, const struct cli_option *o, struct str value)
{
	if (str_utf8_bad(value) < value.n) {
		cli_usage(c, "--%s is not UTF-8", o->name);
		return false;
	}
	if (o->text != NULL)
		*o->text = value;
	if (o->list != NULL)
		o->list->p[o->list->n++] = value;
	if ((o->time != NULL && !parse_time(value, 1, o->time)) ||
	    (o->past != NULL && !parse_time(value, -1, o->past))) {
		cli_usage(
		    c, "--%s wants a time: 2027-01-31T12:00:00Z, 2027-01-31, 90d, 12h", o->name);
		return false;
	}
	if (o->past != NULL && ts_cmp(*o->past, ts_now()) > 0) {
		cli_usage(c, "--%s wants a time in the past", o->name);
		return false;
	}
	return true;
}

static const struct cli_option *
find_option(const struct cli_option *o, struct str name)
{
	for (; o->name != NULL; o++)
		if (str_is(name, o->name))
			return o;
	return NULL;
}

/* Takes the option at argv[*i]; moves *i to the value if that is a separate argument. */
static bool
take_option(struct cli *c, int argc, char **argv, int *i, const struct cli_option *options)
{
	struct str value = str_of(argv[*i] + 2), name = str_until(&value, '=');
	const struct cli_option *o;

	if (str_is(name, "json") && value.p == NULL)
		return c->json = true;
	if (str_is(name, "wide") && value.p == NULL)
		return c->wide = true;
	o = find_option(options, name);
	if (o == NULL || (o->flag != NULL && value.p != NULL)) {
		cli_usage(c, "wrong option %.*s", SHOWN, argv[*i]);
		return false;
	}
	if (o->flag != NULL)
		return *o->flag = true;
	if (value.p == NULL && *i + 1 == argc) {
		cli_usage(c, "--%s wants a value", o->name);
		return false;
	}
	return take_option_value(c, o, value.p != NULL ? value : str_of(argv[++*i]));
}

bool
cli_options(struct cli *c, int argc, char **argv, const struct cli_option *options,
    struct cli_list *words, size_t min, size_t max)
{
	bool literal = false;

	for (const struct cli_option *o = options; o->name != NULL; o++)
		if (o->list != NULL)
			o->list->p = ARENA_ARRAY(c->arena, (size_t)argc, struct str);
	words->p = ARENA_ARRAY(c->arena, (size_t)argc, struct str);
	words->n = 0;
	for (int i = 1; i < argc; i++) {
		if (!literal && strcmp(argv[i], "--") == 0) {
			literal = true;
		} else if (!literal && strncmp(argv[i], "--", 2) == 0) {
			if (!take_option(c, argc, argv, &i, options))
				return false;
		} else {
			words->p[words->n++] = str_of(argv[i]);
			if (str_utf8_bad(words->p[words->n - 1]) < words->p[words->n - 1].n)
				words->n =
				    max +
				    1; /* not UTF-8: the check of the number below refuses it */
		}
	}
	if (words->n >= min && words->n <= max)
		return true;
	cli_usage(
	    c, words->n < min ? "an argument is missing" : "an argument is wrong or too many");
	return false;
}
