/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "base/base.h"
#include "detection/record_key.h"
#include "json/tree.h"

#include <openssl/sha.h>

enum { ANSWER_HASH = 16 }; /* bytes of the SHA-256 of an answer */

struct str
rule_dns_key(struct arena *a, struct str host, struct str type, struct str answer, struct str rcode)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char hex[2 * ANSWER_HASH + 1];

	if (answer.n > 0) {
		SHA256((const unsigned char *)answer.p, answer.n, sum);
		hex_print(hex, sum, ANSWER_HASH);
		rcode = str_of(hex);
	}
	return arena_printf(a, "%.*s/%.*s/%.*s", (int)host.n, host.p, (int)type.n, type.p,
	    (int)rcode.n, rcode.p == NULL ? "" : rcode.p);
}

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
