/* SPDX-License-Identifier: ISC */
/* QR codes as rows of modules. Only qr.c uses libqrencode. */
#ifndef ACCESS_QR_H
#define ACCESS_QR_H

#include "base/base.h"

enum { QR_SIZE_MAX = 177 };

/* The rows of the code of a text, each of as many characters 1 (dark) and 0 as there are rows,
   without the light margin of four modules around it. No rows: the text is too long for a code. */
struct strs qr_rows(struct arena *a, struct str text);

#endif
