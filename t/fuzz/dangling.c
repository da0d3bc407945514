/* SPDX-License-Identifier: ISC */
/* Texts of others that the judge of dangling DNS records reads: policies for senders of mail, names and pages.
 *
 * Input: a name, a newline, and the answer of a TXT record, which is also a page. */
#include "config.h"

#include "base/log.h"
#include "detection/dangling.h"
#include "t/fuzz/fuzz.h"

static void
check_policy(struct arena *a, struct str name, struct str text)
{
	const struct dangling_record r = {
		.host = name, .type = STR("TXT"), .rcode = STR("NOERROR"), .answer = text
	};
	struct strs leads = { NULL, 0 };

	dangling_leads(a, &r, &leads);
	for (size_t i = 0; i < leads.n; i++)
		if (leads.p[i].n == 0 || leads.p[i].n > text.n ||
		    memchr(leads.p[i].p, '%', leads.p[i].n) != NULL ||
		    memchr(leads.p[i].p, ' ', leads.p[i].n) != NULL)
			panic("a policy leads to no name");
}

static void
check_name(struct arena *a, struct str name)
{
	static const struct takeovers none = { NULL, 0 };
	struct str domain = dangling_registrable(a, name);

	if (domain.p != NULL && !str_within(name, domain))
		panic("a name is not below its registrable domain");
	(void)takeover_of(&none, name, false);
	(void)takeover_of(&none, name, true);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct takeovers none = { NULL, 0 };
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	struct str name, text;
	struct arena *a;

	if (end == NULL)
		return 0;
	a = arena_new((size_t)1 << 30);
	name = arena_str(a, (struct str){ (const char *)data, (size_t)(end - data) });
	text = arena_str(a, (struct str){ (const char *)end + 1, size - name.n - 1 });
	check_policy(a, name, text);
	check_name(a, name);
	(void)takeover_pages(a, &none, text, name);
	arena_free(a);
	return 0;
}
