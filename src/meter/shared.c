/* SPDX-License-Identifier: ISC */
/* Metrics of the whole installation, from PostgreSQL, for the scrape of this host. They are read
 * every few seconds and kept as text, so that a scrape never waits for the database.
 *
 * Text older than STALE_US is not shown: a series that is missing is visible to a monitor, a
 * value that has not changed for an hour is not. */
#include "config.h"

#include "meter/meter.h"

enum {
	EVERY_US = 5000000,
	STALE_US = 30000000, /* older text is not shown */
};

struct figure {
	struct str kind, type, help, series;
	double value;
};

static const struct field figure_out[] = {
	FIELD(struct figure, kind, 0),
	FIELD(struct figure, type, 0),
	FIELD(struct figure, help, 0),
	FIELD(struct figure, series, 0),
	FIELD(struct figure, value, 0),
	FIELD_END,
};

STMT_LIST(figures, struct figure, figure_out,
    "SELECT kind, type, help, series, value FROM metrics_now()");

/* Rows of one kind follow one another, and share one HELP and TYPE. */
static void
write_figures(struct buf *b, const struct figure *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !str_eq(f[i].kind, f[i - 1].kind))
			buf_printf(b, "# HELP %.*s %.*s\n# TYPE %.*s %.*s\n", (int)f[i].kind.n,
			    f[i].kind.p, (int)f[i].help.n, f[i].help.p, (int)f[i].kind.n,
			    f[i].kind.p, (int)f[i].type.n, f[i].type.p);
		buf_printf(b, "%.*s %.15g\n", (int)f[i].series.n, f[i].series.p, f[i].value);
	}
}

void
shared_read(struct meterd *m)
{
	struct list rows;

	if (mono_us() < m->shared_at || !meterd_ready(m))
		return;
	m->shared_at = mono_us() + EVERY_US;
	if (!meterd_ok(m, db_rows(m->db, &figures, &rows, DB_NO_ARGS), "figures"))
		return;
	buf_clear(&m->shared);
	write_figures(&m->shared, rows.items, rows.n);
	m->shared_until = mono_us() + STALE_US;
}

void
shared_write(const struct meterd *m, struct buf *out)
{
	if (mono_us() < m->shared_until)
		buf_str(out, buf_done(&m->shared));
}
