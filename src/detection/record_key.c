/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "detection/record_key.h"
#include "json/tree.h"

struct str
rule_directory_key(struct arena *a, const struct json_value *doc)
{
	struct str url = json_get_text(doc, "url"), host = json_get_text(doc, "host"),
		   path = json_get_text(doc, "path");
	const struct json_value *port = doc == NULL ? NULL : json_get(doc, "port");
	struct str digits = port == NULL ? STR("0") : json_lexeme(port);
	bool v6;

	if (url.n > 0)
		return url;
	if (host.n == 0)
		host = json_get_text(doc, "ip");
	v6 = host.n > 0 && memchr(host.p, ':', host.n) != NULL;
	return arena_printf(a, "%s%.*s%s:%.*s%.*s", v6 ? "[" : "", (int)host.n, host.p,
	    v6 ? "]" : "", (int)digits.n, digits.p, (int)path.n, path.p);
}
