/* SPDX-License-Identifier: ISC */
/* Checks of configuration values whose text has a grammar; conf.c names one per type. All accept
   the empty text if the row of the parameter does. */
#ifndef DAEMON_CONF_CHECK_H
#define DAEMON_CONF_CHECK_H

#include "base/base.h"

bool conf_check_path(struct str value);     /* absolute */
bool conf_check_ports(struct str value);    /* ports and ranges, separated by blanks or commas */
bool conf_check_origins(struct str value);  /* "self" or https://HOST[:PORT], separated by blanks */
bool conf_check_networks(struct str value); /* addresses and networks, separated by blanks */
bool conf_check_url(struct str value);      /* https://HOST[:PORT][/PATH] */
bool conf_check_endpoint(struct str value); /* HOST:PORT */
bool conf_check_server(struct str value);   /* http:// or https://HOST[:PORT] */
bool conf_check_engine(struct str value);   /* "index" or "clickhouse" */
bool conf_check_events(struct str value);   /* "all", "failed" or "none" */
bool conf_check_choice(struct str value);   /* "yes" or "no" */

#endif
