/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "record/registration.h"

bool
record_not_registered(const struct json_value *document)
{
	const struct json_value *status = json_get(json_get(document, "whois"), "status");

	for (size_t i = 0; i < json_length(status); i++)
		if (str_is(json_text(json_at(status, i)), RECORD_NOT_REGISTERED))
			return true;
	return false;
}
