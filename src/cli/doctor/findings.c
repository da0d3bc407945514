/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: collects and prints the findings. A cause is printed before its consequences,
   which have no advice (doctor.h). */
#include "config.h"

#include "cli/doctor/doctor.h"

#include <errno.h>
#include <unistd.h>

static const struct field finding_out[] = {
	FIELD(struct finding, state, 0),
	FIELD(struct finding, check, 0),
	FIELD(struct finding, detail, 0),
	FIELD(struct finding, because, NULLABLE),
	FIELD(struct finding, advice_name, NULLABLE),
	FIELD(struct finding, command, NULLABLE),
	FIELD(struct finding, advice, NULLABLE),
	FIELD_END,
};

static const struct str states[] = { STR_INIT("ok"), STR_INIT("warning"), STR_INIT("failed") };

static const struct {
	const char *name, *command, *text;
} advices[] = {
	[ADVICE_NONE] = { NULL, NULL, NULL },
#define ADVICE(id, command, text) [ADVICE_##id] = { #id, command, text },
#include "tbl/advice.h"
#undef ADVICE
};

/* The text of a row of advice, with the arguments in place of {1} to {3}. */
static void
print_row(struct buf *b, const char *text, const struct advice *a)
{
	for (const char *p = text; *p != '\0'; p++)
		if (p[0] == '{' && p[1] >= '1' && p[1] <= '3' && p[2] == '}') {
			buf_z(b, a->args[p[1] - '1']);
			p += 2;
		} else {
			buf_char(b, *p);
		}
}

static void
set_advice(struct doctor *d, struct finding *f, const struct advice *a)
{
	struct buf command = { .a = d->c->arena }, whole = { .a = d->c->arena };

	f->advice_name = f->command = f->advice = STR_NULL;
	if (a->id == ADVICE_NONE)
		return;
	print_row(&command, advices[a->id].command, a);
	buf_str(&whole, (struct str){ command.p, command.n });
	if (whole.n > 0 && advices[a->id].text[0] != '\0')
		buf_z(&whole, "; ");
	print_row(&whole, advices[a->id].text, a);
	f->advice_name = str_of(advices[a->id].name);
	f->command = command.n > 0 ? buf_done(&command) : STR_NULL;
	f->advice = buf_done(&whole);
}

/* Is the installation perhaps good, and only the present user not allowed to check
   it? Without this question doctor would report a dozen failures to every user but
   root. The texts of EACCES and of PostgreSQL's peer authentication are looked
   for in the finding, since the checks get them in many ways. Such a finding
   becomes a warning with the advice to run doctor as root. */
static bool
is_barred(const char *text)
{
	return geteuid() != 0 && (strstr(text, strerror(EACCES)) != NULL ||
				     strstr(text, "Peer authentication") != NULL);
}

void
doctor_report(struct doctor *d, enum health health, const char *check, struct advice advice,
    const char *fmt, ...)
{
	struct buf b = { .a = d->c->arena };
	struct finding *f = &d->findings[d->n];
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	if (health != HEALTH_OK && is_barred(text)) {
		health = HEALTH_WARNING;
		advice = DO(AS_ROOT);
	}
	buf_z(&b, text);
	while (b.n > 0 && b.p[b.n - 1] == ' ')
		b.n--;
	if (d->n == FINDINGS_MAX)
		return;
	*f = (struct finding){
		.state = states[health], .check = str_of(check), .detail = buf_done(&b)
	};
	set_advice(d, f, &advice);
	d->n++;
}

void
doctor_subject(struct doctor *d, const char *subject)
{
	d->findings[d->n - 1].subject = subject;
}

void
doctor_cause(struct doctor *d, const char *check, const char *subject)
{
	struct finding *f = &d->findings[d->n - 1];
	size_t n = 0;

	while (n < CAUSES_MAX && f->causes[n].check != NULL)
		n++;
	if (n == CAUSES_MAX)
		panic("a finding has more causes than CAUSES_MAX");
	f->causes[n].check = check;
	f->causes[n].subject = subject;
}

static const struct finding *
find_failed(const struct doctor *d, const struct finding *f, const char *check, const char *subject)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct finding *g = &d->findings[i];

		if (g != f && str_eq(g->state, states[HEALTH_FAILED]) && str_is(g->check, check) &&
		    (subject == NULL || (g->subject != NULL && strcmp(g->subject, subject) == 0)))
			return g;
	}
	return NULL;
}

/* The failed finding that explains f; NULL: none. */
static const struct finding *
find_cause(const struct doctor *d, const struct finding *f)
{
	const struct finding *cause = NULL;

	if (str_eq(f->state, states[HEALTH_OK]))
		return NULL;
	for (size_t n = 0; cause == NULL && n < CAUSES_MAX && f->causes[n].check != NULL; n++)
		cause = find_failed(d, f, f->causes[n].check, f->causes[n].subject);
	return cause;
}

/* The cause at the start of a chain of causes. A chain has no cycle: disk, roles, schema, daemon and
   browser name no cause, database names only disk, and all others lead to these or to the missing
   site of nginx, which names none. */
static const struct finding *
first_cause(const struct doctor *d, const struct finding *f)
{
	const struct finding *cause = NULL;

	for (const struct finding *g = find_cause(d, f); g != NULL; g = find_cause(d, g))
		cause = g;
	return cause;
}

/* Keeps the order of the checks, but puts consequences directly after their cause:

     found                                       printed
     database  failed                            database  failed    -> advice
     login     failed   cause: database            therefore login: ...
     nginx     ok                                nginx     ok

   A chain of causes is shown below its first link, which alone has advice: repairing a consequence
   is wasted time. The work is quadratic in the number of findings, at most FINDINGS_MAX. */
static struct list
order_findings(struct doctor *d)
{
	struct finding *out = ARENA_ARRAY(d->c->arena, d->n + 1, struct finding);
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct finding *cause = &d->findings[i];

		if (first_cause(d, cause) != NULL)
			continue;
		out[n++] = *cause;
		for (size_t k = 0; k < d->n; k++)
			if (first_cause(d, &d->findings[k]) == cause) {
				out[n] = d->findings[k];
				out[n].because = cause->check;
				set_advice(d, &out[n++], &NO_ADVICE);
			}
	}
	return (struct list){ .items = out, .n = n };
}

static void
print_finding(const struct finding *f)
{
	if (f->because.p != NULL) {
		printf("%-8s %-14s therefore %.*s: %.*s\n", "", "", (int)f->check.n, f->check.p,
		    (int)f->detail.n, f->detail.p);
		return;
	}
	printf("%-8.*s %-14.*s %.*s\n", (int)f->state.n, f->state.p, (int)f->check.n, f->check.p,
	    (int)f->detail.n, f->detail.p);
	if (f->advice.p != NULL)
		printf("%-8s %-14s -> %.*s\n", "", "", (int)f->advice.n, f->advice.p);
}

int
doctor_show(struct doctor *d)
{
	struct list all = order_findings(d);
	const struct finding *f = all.items;
	bool failed = false;

	for (size_t i = 0; i < all.n; i++)
		failed |= str_eq(f[i].state, states[HEALTH_FAILED]);
	if (d->c->json)
		cli_print_list(d->c, "checks", finding_out, all, sizeof(*f));
	for (size_t i = 0; i < all.n && !d->c->json; i++)
		print_finding(&f[i]);
	return failed ? EXIT_FAILED : EXIT_OK;
}
