/* SPDX-License-Identifier: ISC */
/* Makes QR codes with libqrencode. */
#include "config.h"

#include <qrencode.h>

#include "access/qr.h"

enum { DARK = 1, TEXT_MAX = 2000 };

struct strs
qr_rows(struct arena *a, struct str text)
{
	QRcode *code = NULL;
	struct str *rows;
	size_t size;

	if (text.n > 0 && text.n <= TEXT_MAX)
		code =
		    QRcode_encodeData((int)text.n, (const unsigned char *)text.p, 0, QR_ECLEVEL_M);
	if (code == NULL)
		return (struct strs){ NULL, 0 };
	size = (size_t)code->width;
	rows = ARENA_ARRAY(a, size, struct str);
	for (size_t y = 0; y < size; y++) {
		char *row = arena_alloc(a, size + 1);

		for (size_t x = 0; x < size; x++)
			row[x] = (char)('0' + (code->data[y * size + x] & DARK));
		rows[y] = (struct str){ row, size };
	}
	QRcode_free(code);
	return (struct strs){ rows, size };
}
