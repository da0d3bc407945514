/* SPDX-License-Identifier: ISC */
/* Characters of ASCII. The functions of <ctype.h> depend on the locale, and a char below 0 may not
   be passed to them. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

static inline bool
ascii_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
ascii_alnum(char c)
{
	return ascii_digit(c) || ascii_letter(c);
}

/* True for the white space of JSON and of configuration files: no form feed and no vertical tab. */
static inline bool
ascii_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The value of a hexadecimal digit of either case, or -1. */
static inline int
ascii_hex(char c)
{
	if (ascii_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
