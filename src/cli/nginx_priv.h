/* SPDX-License-Identifier: ISC */
/* Shared by the two files that look at nginx. */
#ifndef CLI_NGINX_PRIV_H
#define CLI_NGINX_PRIV_H

#include "cli/nginx.h"

/* The line of nginx -T in front of each file. */
#define FILE_MARK "# configuration file "

/* Fills in the master, the time of loading and the files that changed since; text: that of
   nginx -T. */
void nginx_look_at_process(struct arena *a, struct nginx *n, struct str text);

#endif
