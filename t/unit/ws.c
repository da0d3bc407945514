/* SPDX-License-Identifier: ISC */
/* wire/ws.c: every rule of RFC 6455 section 5, whole and a byte at a time (C-112 for the sizes). */
#include "config.h"

#include "t/unit/tap.h"
#include "wire/ws.h"

#define MIB8 8388608

static const unsigned char key[4] = { 0x37, 0xfa, 0x21, 0x3d };
static const struct ws_rules client = {
	.masked = true, .unmask = true, .text = true, .frame_max = MIB8
};
static const struct ws_rules server = { .text = true, .frame_max = MIB8 };

/* What a reader said about some bytes: "T5*hello" a text frame of five bytes, '*' for FIN, its payload;
   "!1002" the error, "#1000" a close frame's code. Step: how many bytes it is fed at once. */
static struct buf said;

static bool
one_event(struct ws_reader *r, enum ws_event e)
{
	switch (e) {
	case WS_MORE:
		break;
	case WS_HEAD:
		buf_printf(&said, "%c%ju%s", "CTB.....XPO....."[r->frame.opcode],
		    (uintmax_t)r -> frame.length, r->frame.fin ? "*" : "");
		break;
	case WS_PIECE:
		buf_add(&said, r->piece, r->piece_n);
		break;
	case WS_END:
		if (r->frame.opcode == WS_CLOSE)
			buf_printf(&said, "#%u", r->close_code);
		break;
	case WS_BAD:
		buf_printf(&said, "!%d", (int)r->code);
		break;
	}
	return e != WS_MORE && e != WS_BAD;
}

static const char *
feed(const struct ws_rules *rules, struct str in, size_t step)
{
	struct ws_reader r;
	size_t used;

	ws_start(&r, rules);
	buf_clear(&said);
	for (size_t at = 0; at < in.n; at += step) {
		size_t n = in.n - at < step ? in.n - at : step, i = 0;
		unsigned char *piece = malloc(n);
		enum ws_event e;

		memcpy(piece, in.p + at, n);
		do {
			e = ws_next(&r, piece + i, n - i, &used);
			i += used;
		} while (one_event(&r, e));
		free(piece);
		if (e == WS_BAD)
			break;
		CU_ASSERT_EQUAL(i, n);
	}
	buf_char(&said, '\0');
	return said.p;
}

struct wire {
	struct str in;
	const char *says;
};

static void
all_steps(const struct ws_rules *rules, const struct wire *rows)
{
	for (const struct wire *w = rows; w->says != NULL; w++)
		for (size_t step = 1; step <= w->in.n; step++) {
			const char *got = feed(rules, w->in, step);

			if (strcmp(got, w->says) != 0)
				printf("# step %zu: %s, not %s\n", step, got, w->says);
			CU_ASSERT_STRING_EQUAL(got, w->says);
		}
}

static void
test_frames(void)
{
	static const struct wire rows[] = {
		{ STR_INIT("\x81\x05hello"), "T5*hello" },
		{ STR_INIT("\x01\x03hel\x80\x02lo"), "T3helC2*lo" },
		{ STR_INIT("\x01\x03hel\x89\x02pi\x80\x02lo"), "T3helP2*piC2*lo" },
		{ STR_INIT("\x02\x01\xff\x00\x00\x80\x00"), "B1\xff"
							    "C0C0*" },
		{ STR_INIT("\x8a\x00\x82\x00\x81\x00"), "O0*B0*T0*" },
		{ STR_INIT("\x82\x7e\x00\x7e"), "B126*" },
		{ STR_INIT("\x82\x7e\xff\xff"), "B65535*" },
		{ STR_INIT("\x82\x7f\0\0\0\0\0\x01\0\0"), "B65536*" },
		{ STR_INIT("\x82\x7f\0\0\0\0\0\x80\0\0"), "B8388608*" },
		{ STR_INIT("\x88\x00"), "X0*#1005" },
		{ STR_INIT("\x88\x02\x03\xe8"), "X2*\x03\xe8#1000" },
		{ STR_INIT("\x88\x05\x03\xf1"
			   "bye\x81\x01z"),
		    "X5*\x03\xf1"
		    "bye#1009" },
		{ STR_INIT(""), NULL },
	};

	all_steps(&server, rows);
}

static void
test_errors(void)
{
	static const struct wire rows[] = {
		{ STR_INIT("\xc1\x00"), "!1002" },
		{ STR_INIT("\xa1\x00"), "!1002" },
		{ STR_INIT("\x91\x00"), "!1002" },
		{ STR_INIT("\x83\x00"), "!1002" },
		{ STR_INIT("\x87\x00"), "!1002" },
		{ STR_INIT("\x8b\x00"), "!1002" },
		{ STR_INIT("\x8f\x00"), "!1002" },
		{ STR_INIT("\x09\x00"), "!1002" },
		{ STR_INIT("\x08\x00"), "!1002" },
		{ STR_INIT("\x89\x7e\x00\x7e"), "!1002" },
		{ STR_INIT("\x89\x7f"), "!1002" },
		{ STR_INIT("\x80\x00"), "!1002" },
		{ STR_INIT("\x00\x00"), "!1002" },
		{ STR_INIT("\x01\x00\x81\x00"), "T0!1002" },
		{ STR_INIT("\x01\x00\x80\x00\x80\x00"), "T0C0*!1002" },
		{ STR_INIT("\x81\x85"), "!1002" },
		{ STR_INIT("\x82\x7e\x00\x7d"), "!1002" },
		{ STR_INIT("\x82\x7f\0\0\0\0\0\0\xff\xff"), "!1002" },
		{ STR_INIT("\x82\x7f\x80\0\0\0\0\x01\0\0"), "!1002" },
		{ STR_INIT("\x82\x7f\0\0\0\0\0\x80\0\x01"), "!1009" },
		{ STR_INIT("\x88\x01"), "!1002" },
		{ STR_INIT("\x88\x02\x03\xe7"), "X2*\x03\xe7!1002" },
		{ STR_INIT("\x88\x03\x03\xe8\xff"), "X3*\x03\xe8\xff!1007" },
		{ STR_INIT(""), NULL },
	};

	all_steps(&server, rows);
}

static void
test_masks(void)
{
	static const struct wire rows[] = {
		{ STR_INIT("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), "T5*Hello" },
		{ STR_INIT("\x82\x80\x37\xfa\x21\x3d"), "B0*" },
		{ STR_INIT("\x88\x82\x37\xfa\x21\x3d\x34\x12"), "X2*\x03\xe8#1000" },
		{ STR_INIT("\x81\x05"), "!1002" },
		{ STR_INIT(""), NULL },
	};
	unsigned char bytes[64], plain[64];

	all_steps(&client, rows);
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)i;
	for (size_t cut = 0; cut <= sizeof(plain); cut++) {
		memcpy(bytes, plain, sizeof(bytes));
		ws_mask(bytes, cut, key, 0);
		ws_mask(bytes + cut, sizeof(bytes) - cut, key, cut);
		for (size_t i = 0; i < sizeof(bytes); i++)
			CU_ASSERT_EQUAL(bytes[i], plain[i] ^ key[i & 3]);
	}
}

static void
test_pass_through_keeps_the_bytes(void)
{
	static const struct ws_rules rules = { .masked = true, .frame_max = MIB8 };
	unsigned char in[] = { 0x88, 0x82, 0x37, 0xfa, 0x21, 0x3d, 0x34, 0x12 };
	const unsigned char before[] = { 0x34, 0x12 };
	struct ws_reader r;
	size_t used;

	ws_start(&r, &rules);
	CU_ASSERT_EQUAL(ws_next(&r, in, sizeof(in), &used), WS_HEAD);
	CU_ASSERT_EQUAL(used, 6);
	CU_ASSERT_EQUAL(ws_left(&r), 0);
	CU_ASSERT_EQUAL(ws_next(&r, in + 6, 2, &used), WS_PIECE);
	CU_ASSERT_EQUAL(memcmp(in + 6, before, 2), 0);
	CU_ASSERT_EQUAL(ws_next(&r, in + 8, 0, &used), WS_END);
	CU_ASSERT_EQUAL(r.close_code, WS_NORMAL);
}

static void
test_text(void)
{
	static const struct wire rows[] = {
		{ STR_INIT("\x01\x02\xe2\x82\x80\x01\xac"), "T2\xe2\x82"
							    "C1*\xac" },
		{ STR_INIT("\x01\x01\xf0\x89\x00\x80\x03\x9f\x98\x80"), "T1\xf0P0*C3*"
									"\x9f\x98\x80" },
		{ STR_INIT("\x82\x01\xff"), "B1*\xff" },
		{ STR_INIT("\x02\x01\xff\x80\x01\xfe"), "B1\xff"
							"C1*\xfe" },
		{ STR_INIT("\x81\x02\xe2\x82"), "T2*\xe2\x82!1007" },
		{ STR_INIT(""), NULL },
	};
	static const char *const broken[] = { "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
		"\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80", "\xff",
		"\xe2\x28", "\xe2\x82\x28" };
	static const char *const whole[] = { "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
		"\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "abc" };
	char wire[16];

	all_steps(&server, rows);
	for (size_t i = 0; i < COUNT(broken) + COUNT(whole); i++) {
		const char *text = i < COUNT(broken) ? broken[i] : whole[i - COUNT(broken)];

		snprintf(wire, sizeof(wire), "\x81%c%s", (char)strlen(text), text);
		for (size_t step = 1; step < sizeof(wire); step++)
			CU_ASSERT_EQUAL(strstr(feed(&server, str_of(wire), step), "!1007") != NULL,
			    i < COUNT(broken));
	}
}

/* A frame alone, and all fragments together (with a ping between, which does not count). */
static void
test_limits(void)
{
	static const struct ws_rules frames = { .frame_max = 10 },
				     messages = { .frame_max = 10, .message_max = 15 };
	static const struct wire one[] = {
		{ STR_INIT("\x82\x0b"), "!1009" },
		{ STR_INIT("\x02\x0a"
			   "0123456789\x00\x0a"
			   "0123456789\x80\x01x"),
		    "B100123456789C100123456789C1*x" },
		{ STR_INIT(""), NULL },
	};
	static const struct wire all[] = {
		{ STR_INIT("\x02\x0a"
			   "0123456789\x89\x05pppppp"),
		    "B100123456789P5*ppppp!1002" },
		{ STR_INIT("\x02\x0a"
			   "0123456789\x89\x04pppp\x80\x05"
			   "01234\x82\x0a"),
		    "B100123456789P4*ppppC5*01234B10*" },
		{ STR_INIT("\x02\x0a"
			   "0123456789\x80\x06"),
		    "B100123456789!1009" },
		{ STR_INIT("\x82\x0b"), "!1009" },
		{ STR_INIT(""), NULL },
	};

	all_steps(&frames, one);
	all_steps(&messages, all);
}

/* The close frame behind what was too big is seen, whatever the cuts. */
static void
test_unbound(void)
{
	static const struct ws_rules rules = { .masked = true, .frame_max = 2, .message_max = 3 };
	static const char in[] = "\x02\x82....ab\x80\x83....abc\x82\x85....abcde"
				 "\x88\x82\x37\xfa\x21\x3d\x34\x12";
	const size_t n = sizeof(in) - 1;

	for (size_t step = 1; step <= n; step++) {
		unsigned char bytes[sizeof(in)];
		struct ws_reader r;
		bool was_bad = false;

		memcpy(bytes, in, sizeof(in));
		ws_start(&r, &rules);
		for (size_t at = 0, used; at < n;) {
			size_t some = n - at < step ? n - at : step;

			if (ws_next(&r, bytes + at, some, &used) == WS_BAD) {
				CU_ASSERT_FALSE(was_bad);
				CU_ASSERT_EQUAL(r.code, WS_TOO_BIG);
				was_bad = true;
				ws_unbound(&r);
			}
			at += used;
		}
		CU_ASSERT_TRUE(was_bad);
		(void)ws_next(&r, bytes, 0, &(size_t){ 0 });
		CU_ASSERT_EQUAL(r.close_code, WS_NORMAL);
	}
}

static void
test_codes(void)
{
	static const struct {
		unsigned from, to;
		bool valid;
	} rows[] = {
		{ 0, 999, false },
		{ 1000, 1003, true },
		{ 1004, 1006, false },
		{ 1007, 1014, true },
		{ 1015, 2999, false },
		{ 3000, 4999, true },
		{ 5000, 65535, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (unsigned c = rows[i].from; c <= rows[i].to; c++)
			CU_ASSERT_EQUAL(ws_code_valid(c), rows[i].valid);
}

/* Each frame that is written is read again, at every boundary of the length's forms. */
static void
test_heads(void)
{
	static const uint64_t lengths[] = { 0, 1, 125, 126, 127, 65535, 65536, MIB8 };
	static const size_t bytes[] = { 2, 2, 2, 4, 4, 4, 10, 10 };
	struct ws_rules rules = { .frame_max = MIB8 };
	unsigned char out[WS_HEAD_MAX];
	struct ws_reader r;
	size_t used;

	for (size_t i = 0; i < COUNT(lengths); i++)
		for (int masked = 0; masked < 2; masked++) {
			size_t n =
			    ws_head(out, WS_FIN | WS_BINARY, lengths[i], masked ? key : NULL);

			CU_ASSERT_EQUAL(n, bytes[i] + (masked ? 4 : 0));
			rules.masked = masked;
			ws_start(&r, &rules);
			CU_ASSERT_EQUAL(ws_next(&r, out, n, &used), WS_HEAD);
			CU_ASSERT_EQUAL(used, n);
			CU_ASSERT_EQUAL(r.frame.length, lengths[i]);
			CU_ASSERT_EQUAL(ws_left(&r), lengths[i]);
		}
}

static void
test_close_frames(void)
{
	unsigned char out[WS_CONTROL_FRAME];
	char reason[200];
	struct str in = { (const char *)out, 0 };

	in.n = ws_close(out, WS_POLICY, STR("authorisation lost"), key);
	CU_ASSERT_STRING_EQUAL(feed(&client, in, 1), "X20*\x03\xf0"
						     "authorisation lost#1008");
	in.n = ws_close(out, WS_NO_CODE, STR("never sent"), NULL);
	CU_ASSERT_STRING_EQUAL(feed(&server, in, 1), "X0*#1005");

	memset(reason, 'a', sizeof(reason));
	in.n = ws_close(out, WS_TOO_BIG, (struct str){ reason, sizeof(reason) }, NULL);
	CU_ASSERT_EQUAL(in.n, 2 + WS_CONTROL_MAX);
	CU_ASSERT_PTR_NOT_NULL(strstr(feed(&server, in, in.n), "#1009"));
	for (size_t i = 1; i < sizeof(reason); i++) /* 1 + 3n: the cut is within one */
		reason[i] = "\xe2\x82\xac"[(i - 1) % 3];
	in.n = ws_close(out, WS_TOO_BIG, (struct str){ reason, sizeof(reason) }, NULL);
	CU_ASSERT_EQUAL(in.n, 2 + 2 + 121);
	CU_ASSERT_PTR_NOT_NULL(strstr(feed(&server, in, in.n), "#1009"));
}

static CU_TestInfo tests[] = {
	{ "frames, fragments and interleaved control frames are read", test_frames },
	{ "an invalid frame is refused at its first wrong byte", test_errors },
	{ "masks are required of clients and removed", test_masks },
	{ "a proxy passes frames unchanged", test_pass_through_keeps_the_bytes },
	{ "text is checked as UTF-8 across cuts, binary is not", test_text },
	{ "frames and messages above their limits are refused", test_limits },
	{ "a frame above the limit can be skipped", test_unbound },
	{ "a close frame carries a valid code", test_codes },
	{ "heads of frames are read at every boundary", test_heads },
	{ "reasons of close frames are cut between characters", test_close_frames },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
