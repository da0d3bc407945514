/* SPDX-License-Identifier: ISC */
/* The schemas that no field table writes: SPEC 2.2, 2.3, and the documents of tbl/fields.h. */
#include "config.h"

#include "api/openapi_priv.h"
#include "search/search.h"

const struct openapi_schema openapi_schemas[] = {
	{ "SearchError",
	    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"error\"]"
	    ","
	    "\"properties\":{\"error\":{\"type\":\"object\",\"additionalProperties\":"
	    "false,"
	    "\"required\":[\"code\",\"message\"],\"properties\":{"
	    "\"code\":{\"$ref\":\"#/components/schemas/ErrorCode\"},"
	    "\"message\":{\"$ref\":\"#/components/schemas/ErrorMessage\"},"
	    "\"request_id\":{\"$ref\":\"#/components/schemas/RequestId\"}}}}}" },
	{ "ServiceError",
	    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"error\"]"
	    ","
	    "\"properties\":{\"error\":{\"type\":\"object\",\"additionalProperties\":"
	    "false,"
	    "\"required\":[\"code\",\"message\",\"field_errors\"],\"properties\":{"
	    "\"code\":{\"$ref\":\"#/components/schemas/ErrorCode\"},"
	    "\"message\":{\"$ref\":\"#/components/schemas/ErrorMessage\"},"
	    "\"request_id\":{\"$ref\":\"#/components/schemas/RequestId\"},"
	    "\"field_errors\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
	    "\"required\":[\"code\",\"field\",\"message\"],\"properties\":{"
	    "\"code\":{\"$ref\":\"#/components/schemas/FieldErrorCode\"},"
	    "\"field\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"}}}}}}}}" },
	{ "ErrorCode",
	    "{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,"
	    "\"pattern\":\"^[a-z][a-z0-9_]*$\","
	    "\"description\":\"Stable; clients branch on it and on the status.\"}" },
	{ "ErrorMessage", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":512,"
			  "\"description\":\"For people; never to be parsed.\"}" },
	{ "RequestId", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,"
		       "\"pattern\":\"^[A-Za-z0-9_.:-]+$\"}" },
	{ "FieldErrorCode",
	    "{\"type\":\"string\",\"enum\":[\"required\",\"invalid_type\",\"invalid_"
	    "format\","
	    "\"too_long\",\"too_short\",\"out_of_range\",\"not_allowed\",\"unsupported\","
	    "\"unknown_field\",\"not_found\",\"duplicate\"]}" },
	{ "CountUnit", "{\"type\":\"string\",\"enum\":[\"host\",\"service\",\"dns_"
		       "record\",\"whois_domain\","
		       "\"certificate\",\"report\"]}" },
	{ "ValueType", "{\"type\":\"string\",\"enum\":[\"string\",\"integer\",\"number\","
		       "\"boolean\"]}" },
	{ "Relation",
	    "{\"type\":\"string\",\"enum\":[\"eq\",\"gte\",\"unknown\"],\"description\":"
	    "\"Exact, a known lower bound, or a sampled estimate.\"}" },
	{ "Total", "{\"type\":\"object\",\"additionalProperties\":false,"
		   "\"required\":[\"value\",\"relation\"],\"properties\":{"
		   "\"value\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":0},"
		   "\"relation\":{\"$ref\":\"#/components/schemas/Relation\"}}}" },
	{ "Tag",
	    "{\"type\":\"object\",\"additionalProperties\":false,"
	    "\"required\":[\"slug\",\"name\",\"categories\",\"classification\"],"
	    "\"properties\":{"
	    "\"slug\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128},"
	    "\"name\":{\"type\":\"string\",\"maxLength\":256},"
	    "\"categories\":{\"type\":\"array\",\"maxItems\":4,\"items\":{\"type\":"
	    "\"string\","
	    "\"minLength\":1,\"maxLength\":128,\"pattern\":"
	    "\"^[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*$\"}},"
	    "\"classification\":{\"type\":\"string\","
	    "\"enum\":[\"informational\",\"benign\",\"suspicious\",\"malicious\"]}}}" },
	{ "AggregateBucket",
	    "{\"type\":\"object\",\"additionalProperties\":false,"
	    "\"required\":[\"value\",\"count\"],\"properties\":{"
	    "\"value\":{\"oneOf\":[{\"type\":\"string\",\"minLength\":1,\"maxLength\":"
	    "4096},"
	    "{\"type\":\"number\"},{\"type\":\"boolean\"}],"
	    "\"description\":\"Of the JSON type that value_type names.\"},"
	    "\"count\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1,"
	    "\"maximum\":9007199254740991},"
	    "\"label\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256},"
	    "\"tag\":{\"$ref\":\"#/components/schemas/Tag\"}}}" },
	{ "AggregateGroup",
	    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"field\","
	    "\"count_unit\",\"value_type\",\"buckets\",\"relation\",\"has_more\","
	    "\"sampled\"],"
	    "\"properties\":{\"field\":{\"type\":\"string\",\"minLength\":1,"
	    "\"maxLength\":128},"
	    "\"count_unit\":{\"$ref\":\"#/components/schemas/CountUnit\"},"
	    "\"value_type\":{\"$ref\":\"#/components/schemas/ValueType\"},"
	    "\"buckets\":{\"type\":\"array\",\"maxItems\":100,"
	    "\"items\":{\"$ref\":\"#/components/schemas/AggregateBucket\"}},"
	    "\"relation\":{\"$ref\":\"#/components/schemas/Relation\"},"
	    "\"has_more\":{\"type\":\"boolean\"},\"sampled\":{\"type\":\"boolean\","
	    "\"description\":\"The counts are estimates; relation is then "
	    "unknown.\"}}}" },
	{ "QueryWarning",
	    "{\"type\":\"object\",\"required\":[\"message\",\"position\"],\"properties\":"
	    "{\"message\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":512},"
	    "\"position\":{\"type\":\"integer\",\"minimum\":1}}}" },
	{ "SearchSchema",
	    "{\"type\":\"object\",\"required\":[\"dataset\",\"count_unit\",\"prefix_"
	    "aliases\","
	    "\"fields\"],\"properties\":{\"dataset\":{\"type\":\"string\"},"
	    "\"count_unit\":{\"oneOf\":[{\"$ref\":\"#/components/schemas/CountUnit\"},"
	    "{\"type\":\"null\"}],\"description\":\"Null: the dataset cannot be "
	    "aggregated.\"},"
	    "\"prefix_aliases\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	    "\"fields\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":["
	    "\"name\","
	    "\"type\",\"value_type\",\"aggregatable\",\"nested\",\"aliases\"],"
	    "\"properties\":{"
	    "\"name\":{\"type\":\"string\"},\"type\":{\"type\":\"string\",\"enum\":["
	    "\"keyword\","
	    "\"text\",\"dns\",\"ip\",\"integer\",\"number\",\"boolean\",\"date\"]},"
	    "\"value_type\":{\"$ref\":\"#/components/schemas/ValueType\"},"
	    "\"aggregatable\":{\"type\":\"boolean\"},\"nested\":{\"type\":\"boolean\","
	    "\"description\":\"A member of the services, the nested documents.\"},"
	    "\"aliases\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}}}}" },
	{ NULL, NULL },
};

/* Members of documents that are arrays; everything else is one value. */
static const char *const arrays[] = { "hostnames", "apex_domains", "cpe",
	"vulnerabilities", "tags", "services", "services.cpe", "services.tags",
	"services.http.capabilities", "services.tls.certificate.names" };

static bool
is_array(struct str name)
{
	for (size_t i = 0; i < COUNT(arrays); i++)
		if (str_is(name, arrays[i]))
			return true;
	return false;
}

static const char *
scalar(enum value_type t)
{
	switch (t) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
		return "{\"type\":\"string\"}";
	case VALUE_INTEGER:
		return "{\"type\":\"integer\",\"format\":\"int64\"}";
	case VALUE_NUMBER:
		return "{\"type\":\"number\"}";
	case VALUE_BOOLEAN:
		return "{\"type\":\"boolean\"}";
	case VALUE_DATE:
		return "{\"type\":\"string\",\"format\":\"date-time\"}";
	}
	panic("value type %d", (int)t);
}

/* The member of an object that a field stands in or below: "tls" of "services.tls.jarm" under
   "services."; the name up to there, or STR_NULL when the field is not under the prefix. */
static struct str
member_of(const struct schema_field *f, struct str prefix)
{
	struct str name = str_of(f->name), rest;

	if (!str_starts(name, prefix))
		return STR_NULL;
	rest = (struct str){ name.p + prefix.n, name.n - prefix.n };
	return (struct str){ name.p, prefix.n + strcspn(rest.p, ".") };
}

static void write_object(struct buf *b, enum dataset d, struct str prefix);

static void
write_member(struct buf *b, enum dataset d, struct str member, size_t skip)
{
	const struct schema_field *f = schema_find(d, member);
	struct buf below = { 0 };

	json_write_str(b, (struct str){ member.p + skip, member.n - skip });
	buf_z(b, is_array(member) ? ":{\"type\":\"array\",\"items\":" : ":");
	if (f != NULL) {
		buf_z(b, scalar(f->type));
	} else {
		buf_str(&below, member);
		buf_char(&below, '.');
		write_object(b, d, buf_done(&below));
		buf_free(&below);
	}
	if (is_array(member))
		buf_char(b, '}');
}

static void
write_object(struct buf *b, enum dataset d, struct str prefix)
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);
	struct str before = STR_NULL;
	const char *comma = "";

	buf_z(b, "{\"type\":\"object\",\"properties\":{");
	for (size_t i = 0; i < n; i++) {
		struct str member = member_of(&f[i], prefix);

		/* The fields of one object stand together; what is below a value ("tags.category")
		   is derived and not part of the document. */
		if (member.n == 0 || str_eq(member, before))
			continue;
		before = member;
		buf_z(b, comma);
		write_member(b, d, member, prefix.n);
		comma = ",";
	}
	buf_z(b, "}}");
}

void
openapi_document(struct buf *b, enum dataset d)
{
	write_object(b, d, STR(""));
}
