/* SPDX-License-Identifier: ISC */
/* Counts as horizontal bars:
 *
 *   2026-11-22  1200  ██████████████████████▌
 *   2026-11-23    40  ▊
 *   2026-11-24     0
 */
#include "config.h"

#include "client/bars.h"

enum { BAR_MAX = 60, NAME_MAX_COLUMNS = 50, BAR_EIGHTHS = 8 };

void
bars_add(struct bars *bars, struct str shown, int64_t count)
{
	size_t width = text_width(shown), digits;

	if (bars->n == BARS_MAX)
		return;
	digits = (size_t)snprintf(NULL, 0, "%lld", (long long)count);
	bars->names[bars->n] = shown;
	bars->counts[bars->n++] = count;
	bars->most = count > bars->most ? count : bars->most;
	bars->digits = digits > bars->digits ? digits : bars->digits;
	bars->width = width > bars->width ? width : bars->width;
}

/* A bar of eighths of a column; a count above 0 has one at least. */
static void
add_bar(struct buf *b, const struct screen *s, int64_t count, int64_t most, size_t room)
{
	static const char *const parts[BAR_EIGHTHS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t eighths =
	    most < 1 ? 0
		     : (size_t)((double)count / (double)most * (double)(room * BAR_EIGHTHS) + 0.5);

	if (count < 1)
		return;
	if (eighths == 0)
		eighths = 1;
	buf_z(b, "  ");
	style_out(b, s, CYAN);
	for (size_t i = 0; i < eighths / BAR_EIGHTHS; i++)
		buf_z(b, s->utf8 ? "█" : "#");
	if (s->utf8)
		buf_z(b, parts[eighths % BAR_EIGHTHS]);
	else if (eighths < BAR_EIGHTHS)
		buf_char(b, '#');
	style_out(b, s, PLAIN);
}

void
bars_print(struct buf *b, const struct screen *s, const struct bars *bars)
{
	size_t columns = s->columns, room = BAR_MAX, width = bars->width;

	if (columns != SIZE_MAX && width > columns / 2)
		width = columns / 2;
	if (columns != SIZE_MAX && width > NAME_MAX_COLUMNS)
		width = NAME_MAX_COLUMNS;
	if (columns != SIZE_MAX && columns < width + bars->digits + room + 6)
		room = columns > width + bars->digits + 10 ? columns - width - bars->digits - 6 : 4;
	for (size_t i = 0; i < bars->n; i++) {
		buf_z(b, "  ");
		text_fit(b, s, bars->names[i], width, false);
		buf_printf(b, "  %*lld", (int)bars->digits, (long long)bars->counts[i]);
		add_bar(b, s, bars->counts[i], bars->most, room);
		buf_char(b, '\n');
	}
}
