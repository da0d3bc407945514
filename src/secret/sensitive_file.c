/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "secret/sensitive_file.h"

#include <strings.h>

enum kind {
#define SENSITIVE_KIND(id, title, remediation) KIND_##id,
#include "tbl/sensitive_kinds.h"
	KIND_NONE,
};

static const struct sensitive_kind kinds[] = {
#define SENSITIVE_KIND(id, title, remediation) { STR_INIT(title), STR_INIT(remediation) },
#include "tbl/sensitive_kinds.h"
};

enum form { FORM_NAME, FORM_PATH, FORM_BEGIN, FORM_END };

static const struct {
	enum form form;
	enum kind kind;
	struct str text;
} patterns[] = {
#define HARMLESS(form, text) { FORM_##form, KIND_NONE, STR_INIT(text) },
#define SENSITIVE(form, what, text) { FORM_##form, KIND_##what, STR_INIT(text) },
#include "tbl/sensitive_files.h"
};

/* Returns the last part of a path, with its slash when it is a directory. */
static struct str
last_part(struct str path)
{
	size_t n = path.n;
	const char *slash;

	if (n > 0 && path.p[n - 1] == '/')
		n--;
	slash = n == 0 ? NULL : memrchr(path.p, '/', n);
	if (slash == NULL)
		return path;
	return (struct str){ slash + 1, (size_t)(path.p + path.n - slash) - 1 };
}

static bool
ends_in(struct str s, struct str text)
{
	return s.n >= text.n && strncasecmp(s.p + s.n - text.n, text.p, text.n) == 0;
}

static bool
path_fits(struct str path, struct str name, enum form form, struct str text)
{
	switch (form) {
	case FORM_NAME:
		return name.n == text.n && ends_in(name, text);
	case FORM_PATH:
		return ends_in(path, text) &&
		       (path.n == text.n || path.p[path.n - text.n - 1] == '/');
	case FORM_BEGIN:
		return name.n > text.n && strncasecmp(name.p, text.p, text.n) == 0;
	case FORM_END:
		return name.n > text.n && ends_in(name, text);
	}
	panic("form %d", (int)form);
}

const struct sensitive_kind *
sensitive_file(struct str path)
{
	struct str name = last_part(path);

	for (size_t i = 0; i < COUNT(patterns); i++)
		if (path_fits(path, name, patterns[i].form, patterns[i].text))
			return patterns[i].kind == KIND_NONE ? NULL : &kinds[patterns[i].kind];
	return NULL;
}
