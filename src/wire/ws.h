/* SPDX-License-Identifier: ISC */
/* WebSocket frames (RFC 6455 section 5): a parser and a writer, both without I/O. The same parser
 * serves a proxy, which passes frames on and only has to know where they begin and end
 * (surfaced-stream), and an endpoint, which reads messages (surfaced-runner).
 *
 *   | FIN RSV opcode | MASK length | 0, 2 or 8 bytes length | 0 or 4 bytes mask | payload ... |
 *     byte 0           byte 1        if length is 126 or 127  from a client only
 *
 * A message is one frame with FIN; or a text or binary frame without FIN, continuation frames, and
 * a continuation frame with FIN. Control frames (close, ping, pong) may come between them.
 *
 * The caller reads bytes from its socket into its own buffer and calls ws_next until it returns
 * WS_MORE. The parser neither allocates nor keeps pointers between calls, and accepts bytes in
 * portions of any size, down to one:
 *
 *                 +--------------------- WS_END ---------------------+
 *                 v                                                  |
 *   ws_start -> WS_IN_HEAD --------------- WS_HEAD ------------> WS_IN_PAYLOAD
 *                 |                                              (WS_PIECE)  |
 *                 | WS_BAD                                   WS_BAD |        | WS_END of a
 *                 +-----------------> WS_FAILED <-------------------+        v close frame
 *                                     (WS_BAD for ever)                  WS_CLOSED
 *                                                                        (drops all bytes)
 *
 * WS_PIECE gives a part of the payload in place, inside the buffer of the caller, unmasked there if
 * the rules ask for it. Only control frames, which have at most 125 bytes, are copied (.control),
 * so that an endpoint can act on a whole one at its WS_END.
 *
 * A peer is not trusted. Every rule of the RFC is checked at the first byte that shows the
 * violation: a frame that is too large is refused when its length is read, before any payload
 * arrives, and text is checked as UTF-8 while it arrives, with a state that survives cuts within a
 * character. The lengths that a peer announces are compared, never allocated. */
#ifndef WIRE_WS_H
#define WIRE_WS_H

#include "base/base.h"

enum ws_opcode {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
	WS_FIN = 0x80, /* added to an opcode for ws_head: the last frame of a message */
};

enum ws_code {
	WS_NORMAL = 1000, /* the session has ended */
	WS_GOING_AWAY = 1001,
	WS_PROTOCOL_ERROR = 1002,
	WS_NO_CODE = 1005, /* a close frame without a code; never sent */
	WS_INVALID_DATA = 1007,
	WS_POLICY = 1008, /* the client is no longer authorised */
	WS_TOO_BIG = 1009,
	WS_TRY_LATER = 1013,
};

enum {
	WS_HEAD_MAX = 14,
	WS_CONTROL_MAX = 125,                            /* payload of a control frame */
	WS_CONTROL_FRAME = WS_HEAD_MAX + WS_CONTROL_MAX, /* room for a control frame */
};

/* The rules for the frames that a reader accepts. */
struct ws_rules {
	bool masked; /* the peer is a client, so every frame must be masked; else none may be */
	bool unmask; /* unmask each piece in place */
	bool text;   /* check text as UTF-8; needs unmask if the frames are masked */
	uint64_t frame_max;   /* bytes of payload of a frame; more is WS_TOO_BIG */
	uint64_t message_max; /* bytes of all frames of a message; 0: no limit */
};

struct ws_frame {
	enum ws_opcode opcode;
	enum ws_opcode message; /* opcode; of a continuation, that of the first frame */
	bool fin, masked;
	unsigned char mask[4];
	uint64_t length;
};

enum ws_event {
	WS_MORE,  /* all bytes are used: read more from the socket */
	WS_HEAD,  /* the head of a frame is complete: .frame is set */
	WS_PIECE, /* .piece, .piece_n: a part of the payload, inside the caller's bytes */
	WS_END,   /* the frame is complete; .control has the payload of a control frame */
	WS_BAD,   /* the peer broke a rule: .code and .why are set, and reading ends */
};

/* A plain value that ws_start initialises. The members from .head on are private. */
struct ws_reader {
	struct ws_rules rules;
	struct ws_frame frame;
	unsigned char *piece;
	size_t piece_n;
	unsigned char control[WS_CONTROL_MAX];
	unsigned close_code; /* after WS_END of a close frame; WS_NO_CODE: none */
	struct str close_reason;
	enum ws_code code;
	const char *why;

	unsigned char head[WS_HEAD_MAX];
	unsigned char have; /* bytes in head */
	enum ws_stage {
		WS_IN_HEAD,
		WS_IN_PAYLOAD,
		WS_CLOSED, /* after a close frame: further bytes are dropped (RFC 6455 1.4) */
		WS_FAILED,
	} stage;
	uint64_t done;          /* bytes of payload read of this frame */
	uint64_t message_bytes; /* payload of the earlier frames of this message */
	/* The opcode of the message that continuation frames belong to; WS_CONTINUATION: none. */
	enum ws_opcode unfinished;
	uint32_t utf8; /* state of the last sequence of the text; see ws.c */
};

void ws_start(struct ws_reader *r, const struct ws_rules *rules);
/* Reads bytes up to the next event and sets *used to the number of bytes read, which may be 0 at
   WS_END and WS_BAD. Call it with the remaining bytes until it returns WS_MORE or WS_BAD. */
enum ws_event ws_next(struct ws_reader *r, unsigned char *bytes, size_t n, size_t *used);
/* The bytes that are missing of the payload of the current data frame; 0 outside one. */
uint64_t ws_left(const struct ws_reader *r);

/* Continues after WS_BAD with WS_TOO_BIG, without size limits, for a caller that waits for nothing
   but the close frame of the peer. Only for readers of masked frames. */
void ws_unbound(struct ws_reader *r);

/* Writes the head of a frame and returns its length. first is an opcode, with WS_FIN added for a
   last frame; mask NULL: unmasked. */
size_t ws_head(
    unsigned char out[WS_HEAD_MAX], unsigned first, uint64_t length, const unsigned char mask[4]);
/* Writes a whole control frame with at most WS_CONTROL_MAX bytes of payload and returns its
   length. */
size_t ws_control(unsigned char out[WS_CONTROL_FRAME], unsigned first, struct str payload,
    const unsigned char mask[4]);
/* Writes a whole close frame and returns its length. WS_NO_CODE: no payload. A reason that is too
   long is cut. */
size_t ws_close(unsigned char out[WS_CONTROL_FRAME], unsigned code, struct str reason,
    const unsigned char mask[4]);
/* Masks or unmasks bytes that begin at offset in their payload. */
void ws_mask(unsigned char *bytes, size_t n, const unsigned char mask[4], uint64_t offset);
/* True when a peer may send the code in a close frame (RFC 6455 7.4). */
bool ws_code_valid(unsigned code);

#endif
