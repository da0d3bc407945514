/* SPDX-License-Identifier: ISC */
/* QR codes as rows of modules. Only qr.c uses libqrencode. */
#ifndef ACCESS_QR_H
#define ACCESS_QR_H

#include "base/base.h"

enum { QR_SIZE_MAX = 177 };

/* Makes the QR code of a text: a square of rows with the characters 1 (dark) and 0 (light), without
   the light margin of four modules. Returns no rows when the text is too long for a code. */
struct strs qr_rows(struct arena *a, struct str text);

#endif
