/* SPDX-License-Identifier: ISC */
/* Turns the viewer's mouse and key messages into Chromium's input events. Two things are
 * difficult. A page may take longer to handle a mouse move than the next one takes to arrive;
 * only the newest position is kept then (input_mouse), but a click always follows the move that
 * came before it. And a key has three identities, its position on the keyboard, its character
 * and its Windows key code, of which a phone may send only one (key_number). */
#include "config.h"

#include "browser/runner/viewer.h"

static const struct {
	const char *code;
	int64_t number;
} keys[] = {
#define KEY(code, number) { code, number },
#include "tbl/keys.h"
#undef KEY
};

/* ---- the mouse ---- */

struct mouse_event {
	struct str type, button, pointerType;
	double x, y, deltaX, deltaY;
	int64_t buttons, clickCount, modifiers;
};

static const struct field mouse_fields[] = {
	FIELD(struct mouse_event, type, 0),
	FIELD(struct mouse_event, x, 0),
	FIELD(struct mouse_event, y, 0),
	FIELD(struct mouse_event, button, 0),
	FIELD(struct mouse_event, buttons, 0),
	FIELD(struct mouse_event, clickCount, 0),
	FIELD(struct mouse_event, modifiers, 0),
	FIELD(struct mouse_event, deltaX, 0),
	FIELD(struct mouse_event, deltaY, 0),
	FIELD(struct mouse_event, pointerType, 0),
	FIELD_END,
};

static struct str
mouse_type(struct str action)
{
	static const char *const types[][2] = { { "move", "mouseMoved" },
		{ "down", "mousePressed" }, { "up", "mouseReleased" }, { "wheel", "mouseWheel" } };

	for (size_t i = 0; i < COUNT(types); i++)
		if (str_is(action, types[i][0]))
			return str_of(types[i][1]);
	panic("unknown mouse action %.*s", (int)action.n, action.p);
}

static void on_mouse_done(void *arg, const struct json_value *result);

static void
send_mouse(struct tab *t, const struct stream_mouse *m)
{
	bool presses = str_is(m->action, "down") || str_is(m->action, "up");
	const struct mouse_event e = {
		.type = mouse_type(m->action),
		.button = m->button.n > 0 ? m->button : STR("none"),
		.pointerType = STR("mouse"),
		.x = m->x,
		.y = m->y,
		.deltaX = m->dx,
		.deltaY = m->dy,
		.buttons = m->buttons,
		.clickCount = presses && m->clicks == 0 ? 1 : m->clicks,
		.modifiers = m->modifiers,
	};
	bool moves = str_is(m->action, "move");

	t->move_busy = t->move_busy || moves;
	cdp_send(t->r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
				.method = "Input.dispatchMouseEvent",
				.fields = mouse_fields,
				.in = &e,
				.done = moves ? on_mouse_done : NULL,
				.arg = t });
}

static void
send_waiting_move(struct tab *t)
{
	const struct stream_mouse m = { .action = STR("move"),
		.x = t->move_x,
		.y = t->move_y,
		.buttons = t->move_buttons,
		.modifiers = t->move_modifiers };

	if (!t->move_waits || t->closing)
		return;
	t->move_waits = false;
	send_mouse(t, &m);
}

static void
on_mouse_done(void *arg, const struct json_value *result)
{
	struct tab *t = arg;

	t->move_busy = false;
	if (result != NULL)
		send_waiting_move(t);
}

/* While the page handles a move, only the newest position is kept, so that a slow page does not lag
   behind. */
void
input_mouse(struct runner *r, const struct stream_mouse *m)
{
	struct tab *t = r->active;

	if (t == NULL || r->cdp == NULL)
		return;
	if (!str_is(m->action, "move")) {
		send_waiting_move(t);
		send_mouse(t, m);
	} else if (!t->move_busy) {
		send_mouse(t, m);
	} else {
		t->move_waits = true;
		t->move_x = m->x;
		t->move_y = m->y;
		t->move_buttons = m->buttons;
		t->move_modifiers = m->modifiers;
	}
}

/* ---- keys ---- */

struct key_event {
	struct str type, key, code, text, unmodifiedText;
	int64_t windowsVirtualKeyCode, nativeVirtualKeyCode, location, modifiers;
	bool autoRepeat, isKeypad;
};

static const struct field key_fields[] = {
	FIELD(struct key_event, type, 0),
	FIELD(struct key_event, key, 0),
	FIELD(struct key_event, code, 0),
	FIELD(struct key_event, text, OMIT_UNSET),
	FIELD(struct key_event, unmodifiedText, OMIT_UNSET),
	FIELD(struct key_event, windowsVirtualKeyCode, 0),
	FIELD(struct key_event, nativeVirtualKeyCode, 0),
	FIELD(struct key_event, location, 0),
	FIELD(struct key_event, modifiers, 0),
	FIELD(struct key_event, autoRepeat, 0),
	FIELD(struct key_event, isKeypad, 0),
	FIELD_END,
};

enum { CONTROL = 2, META = 4 };

static bool
is_keypad(const struct stream_key *k)
{
	return k->location == 3 || str_starts(k->code, STR("Numpad"));
}

/* The Windows key code. The character decides before the position of the key: on every keyboard
   layout Ctrl+A is the key that writes A. */
static int64_t
key_number(const struct stream_key *k)
{
	char c = k->key.n == 1 ? k->key.p[0] : '\0';

	if (c >= 'a' && c <= 'z')
		return c - 'a' + 'A';
	if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9' && !is_keypad(k)))
		return c;
	for (size_t i = 0; i < COUNT(keys); i++)
		if (str_is(k->code, keys[i].code))
			return keys[i].number;
	for (size_t i = 0; i < COUNT(keys); i++) /* phones send keys without a code */
		if (str_is(k->key, keys[i].code))
			return keys[i].number;
	if (k->code.n == 4 && str_starts(k->code, STR("Key")))
		return k->code.p[3];
	if (k->code.n == 6 && str_starts(k->code, STR("Digit")))
		return k->code.p[5];
	return 0;
}

/* The text that the key writes: none with Control or Meta, a carriage return for Enter. */
static struct str
key_text(const struct stream_key *k)
{
	if ((k->modifiers & (CONTROL | META)) != 0)
		return STR_NULL;
	if (str_is(k->key, "Enter"))
		return STR("\r");
	if (k->text.n > 0)
		return k->text;
	return str_chars(k->key) == 1 ? k->key : STR_NULL;
}

void
input_key(struct runner *r, const struct stream_key *k)
{
	bool down = str_is(k->action, "down");
	struct str text = down ? key_text(k) : STR_NULL;
	const struct key_event e = {
		.type = !down        ? STR("keyUp")
			: text.n > 0 ? STR("keyDown")
				     : STR("rawKeyDown"),
		.key = k->key,
		.code = k->code,
		.text = text,
		.unmodifiedText = text,
		.windowsVirtualKeyCode = key_number(k),
		.nativeVirtualKeyCode = key_number(k),
		.location = k->location,
		.modifiers = k->modifiers,
		.autoRepeat = k->repeat,
		.isKeypad = is_keypad(k),
	};

	if (r->active != NULL && r->cdp != NULL)
		cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&r->active->session),
				     .method = "Input.dispatchKeyEvent",
				     .fields = key_fields,
				     .in = &e });
}

struct insert_params {
	struct str text;
};

static const struct field insert_fields[] = {
	FIELD(struct insert_params, text, 0),
	FIELD_END,
};

void
input_text(struct runner *r, struct str text)
{
	if (r->active != NULL && r->cdp != NULL)
		cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&r->active->session),
				     .method = "Input.insertText",
				     .fields = insert_fields,
				     .in = &(struct insert_params){ text } });
}
