// SPDX-License-Identifier: ISC
// Keys of the page. A textarea that nobody sees takes them, so that input methods, touch keyboards and paste
// work; F6 leaves it.

const PASTE_MAX = 100000; // characters
const COMPOSING = new Set(["Process", "Unidentified", "Dead"]);
const WRITES = { Enter: "\r" };

function modifiers(e) {
	if (e.getModifierState("AltGraph"))
		return e.shiftKey ? 8 : 0; // AltGr comes as Control and Alt: it only chose the character
	return (e.altKey ? 1 : 0) + (e.ctrlKey ? 2 : 0) + (e.metaKey ? 4 : 0) + (e.shiftKey ? 8 : 0);
}

// What the key writes; "" when it is a command.
function written(e, held) {
	if (held & 6)
		return "";
	if (WRITES[e.key])
		return WRITES[e.key];
	return Array.from(e.key).length === 1 ? e.key : "";
}

function members(e, action) {
	const held = modifiers(e);
	const m = { action, key: e.key.slice(0, 32), code: e.code.slice(0, 32), modifiers: held };
	const text = action === "down" ? written(e, held) : "";
	if (text)
		m.text = text;
	if (e.location)
		m.location = e.location;
	if (e.repeat)
		m.repeat = true;
	return m;
}

export class Keyboard {
	#sink;
	#preview;
	#stream = null;
	#held = new Map(); // code: the message of its release
	#commands;

	// commands: {leave(backwards), reload(), history(steps), address(), cut()}
	constructor(sink, preview, commands) {
		this.#sink = sink;
		this.#preview = preview;
		this.#commands = commands;
		sink.addEventListener("keydown", (e) => this.#down(e));
		sink.addEventListener("keyup", (e) => this.#up(e));
		sink.addEventListener("blur", () => this.release());
		sink.addEventListener("beforeinput", (e) => this.#before(e));
		sink.addEventListener("input", (e) => this.#input(e));
		sink.addEventListener("compositionupdate", (e) => this.#compose(e.data));
		sink.addEventListener("compositionend", (e) => this.#composed(e.data));
		sink.addEventListener("paste", (e) => this.#paste(e));
	}

	attach(stream) {
		this.#stream = stream;
		this.#held.clear();
	}

	// Lets go of every key: the page must not think that one is still down.
	release() {
		for (const m of this.#held.values())
			this.#stream?.input("key", m);
		this.#held.clear();
		this.#compose("");
	}

	// Keys that the viewer itself takes. True: nothing is sent.
	#command(e) {
		const plain = !e.ctrlKey && !e.altKey && !e.metaKey;
		const control = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
		if (e.key === "F6" && plain)
			this.#commands.leave(e.shiftKey);
		else if ((e.key === "F5" && plain) || (control && e.key === "r"))
			this.#commands.reload();
		else if (e.altKey && !e.ctrlKey && !e.shiftKey && e.key === "ArrowLeft")
			this.#commands.history("back");
		else if (e.altKey && !e.ctrlKey && !e.shiftKey && e.key === "ArrowRight")
			this.#commands.history("forward");
		else if (control && e.key === "l")
			this.#commands.address();
		else
			return false;
		e.preventDefault();
		return true;
	}

	#down(e) {
		if (e.isComposing || COMPOSING.has(e.key) || this.#command(e))
			return;
		if ((e.ctrlKey || e.metaKey) && !e.altKey && (e.key === "v" || e.key === "V"))
			return; // the paste event follows
		if (e.key === "F12")
			return; // stays the viewer's browser's
		e.preventDefault();
		this.#stream?.input("key", members(e, "down"));
		this.#held.set(e.code, { ...members(e, "up"), modifiers: 0 });
	}

	#up(e) {
		if (!this.#held.delete(e.code))
			return;
		e.preventDefault();
		this.#stream?.input("key", members(e, "up"));
	}

	#press(key) {
		this.#stream?.input("key", { action: "down", key, code: key });
		this.#stream?.input("key", { action: "up", key, code: key });
	}

	// Touch keyboards name no keys: their deletions arrive here.
	#before(e) {
		if (e.inputType === "deleteContentBackward")
			this.#press("Backspace");
		else if (e.inputType === "deleteContentForward")
			this.#press("Delete");
		else if (e.inputType === "insertLineBreak" || e.inputType === "insertParagraph")
			this.#stream?.input("key", { action: "down", key: "Enter", code: "Enter", text: "\r" });
		else
			return;
		e.preventDefault();
	}

	#input(e) {
		if (e.isComposing)
			return;
		if (this.#sink.value && e.inputType !== "insertCompositionText" && e.inputType !== "insertFromComposition")
			this.#stream?.text(this.#sink.value);
		this.#sink.value = "";
	}

	#compose(text) {
		this.#preview.textContent = text;
		this.#preview.hidden = !text;
	}

	#composed(text) {
		this.#compose("");
		this.#sink.value = "";
		if (text)
			this.#stream?.text(text);
	}

	#paste(e) {
		const text = e.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
		e.preventDefault();
		if (text.length > PASTE_MAX)
			this.#commands.cut(PASTE_MAX);
		if (text)
			this.#stream?.text(Array.from(text).slice(0, PASTE_MAX).join(""));
	}
}
