/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "detection/record_key.h"
#include "json/tree.h"

static struct str
member_of(const struct json_value *doc, const char *name)
{
	const struct json_value *v = doc == NULL ? NULL : json_get(doc, name);

	return v == NULL || json_type(v) != JSON_STRING ? STR_NULL : json_text(v);
}

struct str
rule_directory_key(struct arena *a, const struct json_value *doc)
{
	struct str url = member_of(doc, "url"), host = member_of(doc, "host"),
		   path = member_of(doc, "path");
	const struct json_value *port = doc == NULL ? NULL : json_get(doc, "port");
	struct str digits = port == NULL ? STR("0") : json_lexeme(port);
	bool v6;

	if (url.n > 0)
		return url;
	if (host.n == 0)
		host = member_of(doc, "ip");
	v6 = host.n > 0 && memchr(host.p, ':', host.n) != NULL;
	return arena_printf(a, "%s%.*s%s:%.*s%.*s", v6 ? "[" : "", (int)host.n, host.p,
	    v6 ? "]" : "", (int)digits.n, digits.p, (int)path.n, path.p);
}
