/* SPDX-License-Identifier: ISC */
/* Sends events of the log to the journal (journal.h). The values are read back from the printed
 * line, so that log_event needs no second form: a value ends at a blank, or at the closing quote
 * if it begins with one, which a quoted text never contains (log_text). */
#include "config.h"

#include "daemon/journal.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

enum { FIELDS_MAX = 24, NAME_MAX_LEN = 24 };

/* The fields of one entry, and room for their texts. */
struct entry {
	struct iovec fields[FIELDS_MAX];
	int n;
	char room[8192];
	size_t used;
};

/* Adds NAME=VALUE; a field without room is left out, since MESSAGE has its value too. */
static void
add_field(struct entry *e, const char *name, struct str value)
{
	size_t left = sizeof(e->room) - e->used;
	int k = snprintf(e->room + e->used, left, "%s=%.*s", name, (int)value.n, value.p);

	if (e->n == FIELDS_MAX || (size_t)k >= left)
		return;
	e->fields[e->n++] = (struct iovec){ e->room + e->used, (size_t)k };
	e->used += (size_t)k + 1;
}

/* The journal accepts capital letters, digits and "_" in names. False: the word is no name. */
static bool
field_name(char out[NAME_MAX_LEN + 10], struct str word)
{
	int at = snprintf(out, NAME_MAX_LEN + 10, "SURFACED_");

	if (word.n == 0 || word.n > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
		out[at++] = c;
	}
	out[at] = '\0';
	return true;
}

static struct str
take_value(struct str *rest)
{
	if (str_starts(*rest, STR("\""))) {
		*rest = (struct str){ rest->p + 1, rest->n - 1 };
		return str_until(rest, '"');
	}
	return str_until(rest, ' ');
}

static void
add_values(struct entry *e, struct str rest)
{
	char name[NAME_MAX_LEN + 10];

	while (rest.n > 0) {
		struct str word = str_until(&rest, '='), value;

		while (word.n > 0 && word.p[0] == ' ')
			word = (struct str){ word.p + 1, word.n - 1 };
		value = take_value(&rest);
		if (field_name(name, word))
			add_field(e, name, value);
	}
}

static bool
send_entry(enum log_prio prio, const char *line, size_t n)
{
	struct entry e = { .n = 0 };
	struct str rest = { line, n };
	char priority[2] = { (char)('0' + prio), '\0' };

	add_field(&e, "MESSAGE", rest);
	add_field(&e, "PRIORITY", (struct str){ priority, 1 });
	add_field(&e, "SURFACED_EVENT", str_until(&rest, ' '));
	add_values(&e, rest);
	return sd_journal_sendv(e.fields, e.n) == 0;
}

void
journal_use(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return;
	snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	if (strcmp(stream, own) == 0)
		log_use(send_entry);
}
