/* SPDX-License-Identifier: ISC */
/* The program of a web server, from the header Server and from scanners' lists of technologies.
 *
 *     nginx/1.22.1             nginx 1.22.1      any name with a version
 *     Apache (Debian)          Apache            a name of tbl/server_products.h; its version is hidden
 *     secret-sauce             none              anything may be written there */
#ifndef CLI_IMPORT_SERVER_H
#define CLI_IMPORT_SERVER_H

#include "record/record.h"

/* Sets http.server, and the product and version of a service that has no product. The texts are
   views of server, or constants. */
void server_set(struct arena *a, struct record_object *service, struct str server);
/* Sets the product and version that http.server shows, if the service has no product. */
void server_set_product(struct arena *a, struct record_object *service);
/* A technology that a scanner has recognised, and its version, which may be empty: if it is a web
   server, it gives the product of a service without one, and the version of its own product. */
void server_add_technology(
    struct arena *a, struct record_object *service, struct str name, struct str version);

#endif
