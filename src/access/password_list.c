/* SPDX-License-Identifier: ISC */
/* The list of common passwords. It is read once, folded in place, and sorted for a binary
   search. */
#include "config.h"

#include "access/password_priv.h"

#include <errno.h>

enum { LIST_MAX = 1 << 20 };

struct str
password_fold(char *room, struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c >= 0x80 || ascii_digit((char)c) || (c >= 'a' && c <= 'z'))
			room[n++] = (char)c;
		else if (c >= 'A' && c <= 'Z')
			room[n++] = (char)(c + ('a' - 'A'));
	}
	return (struct str){ room, n };
}

static int
compare_lines(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool
password_list_read(const char *path, struct password_list *out, char *err, size_t room)
{
	struct str rest, line;
	size_t lines = 1;

	*out = (struct password_list){ 0 };
	if (!file_read(path, LIST_MAX, &out->text)) {
		snprintf(err, room, "%s: %s", path, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < out->text.n; i++)
		lines += out->text.p[i] == '\n';
	out->lines = mem_array(lines, sizeof(*out->lines));
	rest = (struct str){ out->text.p, out->text.n };
	for (char *at = out->text.p; str_line(&rest, &line);) {
		struct str folded;

		if (str_starts(line, STR("#")))
			continue;
		folded = password_fold(at, line);
		if (folded.n == 0)
			continue;
		out->lines[out->n++] = folded;
		at += folded.n; /* folded texts are never longer than their lines */
	}
	qsort(out->lines, out->n, sizeof(*out->lines), compare_lines);
	if (out->n > 0)
		return true;
	snprintf(
	    err, room, "%s: has no password; install the list that belongs to this program", path);
	password_list_free(out);
	return false;
}

void
password_list_free(struct password_list *l)
{
	free(l->lines);
	buf_free(&l->text);
	*l = (struct password_list){ 0 };
}

bool
password_list_has(const struct password_list *l, struct str folded)
{
	return l->n > 0 &&
	       bsearch(&folded, l->lines, l->n, sizeof(*l->lines), compare_lines) != NULL;
}
