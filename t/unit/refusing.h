/* SPDX-License-Identifier: ISC */
/* A json-c that refuses texts on demand. No text is known that the scan of src/json passes and json-c refuses, but a
   later release of json-c may know one. */
#ifndef T_UNIT_REFUSING_H
#define T_UNIT_REFUSING_H

#include <stdbool.h>

extern bool jsonc_refuses; /* while true: every text */

#endif
