/* SPDX-License-Identifier: ISC */
/* Countries of ISO 3166-1. */
#ifndef RESOURCE_COUNTRY_H
#define RESOURCE_COUNTRY_H

#include "base/base.h"

const char *country_name(struct str code); /* code: "GB"; NULL: no such country */

#endif
