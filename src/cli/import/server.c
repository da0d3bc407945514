/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/server.h"

static const struct {
	struct str name, product;
} products[] = {
#define SERVER_PRODUCT(name, product) { STR_INIT(name), STR_INIT(product) },
#include "tbl/server_products.h"
#undef SERVER_PRODUCT
};

/* Finds the longest name with which the header begins, and sets *rest to what follows it. STR_NULL:
   the header begins with no known name. */
static struct str
find_product(struct str server, struct str *rest)
{
	struct str product = STR_NULL;
	size_t longest = 0;

	for (size_t i = 0; i < COUNT(products); i++) {
		size_t n = products[i].name.n;

		if (n <= longest || server.n < n ||
		    !str_is_nocase((struct str){ server.p, n }, products[i].name.p) ||
		    (server.n > n && strchr(" /(;,:", server.p[n]) == NULL))
			continue;
		longest = n;
		product = products[i].product;
	}
	*rest = (struct str){ server.p + longest, server.n - longest };
	return product;
}

/* The version at the beginning of "/1.22.1 (Debian)"; empty: there is none. */
static struct str
take_version(struct str rest)
{
	if (rest.n < 2 || rest.p[0] != '/' || !ascii_digit(rest.p[1]))
		return STR("");
	rest = (struct str){ rest.p + 1, rest.n - 1 };
	return str_until(&rest, ' ');
}

static void
set_program(struct arena *a, struct record_object *service, struct str product, struct str version)
{
	if (record_text(service, "service_name").p == NULL)
		record_set_text(a, service, "service_name", STR("http"));
	record_set_text(a, service, "product", product);
	if (version.n > 0)
		record_set_text(a, service, "version", version);
}

void
server_set_product(struct arena *a, struct record_object *service)
{
	struct str server = record_text(service, "http.server"), rest, product, version;

	if (server.n == 0 || record_text(service, "product").p != NULL)
		return;
	product = find_product(server, &rest);
	version = take_version(rest);
	if (product.p == NULL) {
		rest = server;
		product = str_until(&rest, '/');
		if (rest.p == NULL || !str_graphic(product))
			return;
		version = take_version((struct str){ rest.p - 1, rest.n + 1 });
		if (version.n == 0)
			return;
	}
	set_program(a, service, product, version);
}

void
server_set(struct arena *a, struct record_object *service, struct str server)
{
	if (server.n == 0 || str_is_nocase(server, "none"))
		return;
	record_set_text(a, service, "http.server", server);
	server_set_product(a, service);
}

void
server_add_technology(
    struct arena *a, struct record_object *service, struct str name, struct str version)
{
	struct str own = record_text(service, "product"), rest, product = find_product(name, &rest);

	if (product.p == NULL || rest.n > 0)
		product = name;
	else if (own.p == NULL && record_text(service, "http.server").p == NULL)
		set_program(a, service, product, version);
	if (own.p != NULL && version.n > 0 && record_text(service, "version").p == NULL &&
	    str_eq(arena_lower(a, own), arena_lower(a, product)))
		record_set_text(a, service, "version", version);
}
