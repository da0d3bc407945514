// SPDX-License-Identifier: ISC
// The events of a session, and what is asked of them: the picture at a moment, the gaps, the requests. Moments are
// milliseconds from when the session was ready.

const GAP_MS = 2000; // a longer time without events is skipped
const MARGIN_MS = 500; // of a gap that is played at either end
const BURST_PAUSE_MS = 300, BURST_MS = 10000; // requests of one burst follow one another, for so long at most

// The index of the last item whose offset is at or before ms; -1: none is.
export function lastAt(items, ms) {
	let low = 0, high = items.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (items[middle].offset_ms <= ms)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

export function failed(e) {
	return e.failure !== null || (e.status !== null && e.status >= 400);
}

export class Timeline {
	events;
	shots;
	requests; // with burst {from, to}: the time of the requests around it, within which its bar is drawn
	gaps; // {from, to}
	tabs;

	constructor({ events, duration }) {
		this.events = events;
		this.shots = events.filter((e) => e.kind === "screenshot");
		this.requests = events.filter((e) => e.network_event_id !== null);
		this.tabs = [...new Set(events.map((e) => e.tab).filter(Boolean))].sort((a, b) => a - b);
		this.start = Math.min(0, events[0]?.offset_ms ?? 0);
		this.end = Math.max(duration, events.at(-1)?.offset_ms ?? 0, this.start + 1);
		this.zero = events.length ? Date.parse(events[0].at) - events[0].offset_ms : NaN; // the clock's time of 0
		this.#divide();
	}

	#divide() {
		let last = this.start, burst = null;
		this.gaps = [];
		for (const e of [...this.events, { offset_ms: this.end }]) {
			if (e.offset_ms - last > GAP_MS)
				this.gaps.push({ from: last, to: e.offset_ms });
			last = e.offset_ms;
		}
		for (const e of this.requests) {
			if (!burst || e.offset_ms - burst.to > BURST_PAUSE_MS || e.offset_ms - burst.from > BURST_MS)
				burst = { from: e.offset_ms, to: e.offset_ms };
			burst.to = e.offset_ms;
			e.burst = burst;
		}
	}

	// The latest screenshot at or before the moment; tab 0: of any tab.
	shotAt(ms, tab) {
		for (let i = lastAt(this.shots, ms); i >= 0; i--)
			if (tab === 0 || this.shots[i].tab === tab)
				return this.shots[i];
		return null;
	}

	// The next one of the tab, or the one before it (step -1); null: there is none.
	shotBeside(ms, tab, step) {
		const mine = this.shots.filter((s) => tab === 0 || s.tab === tab);
		return mine[step > 0 ? lastAt(mine, ms) + 1 : lastAt(mine, ms - 1)] ?? null;
	}

	// The address that a tab shows at the moment.
	urlAt(ms, tab) {
		const at = this.events.filter((e) => (e.kind === "screenshot" || e.kind === "page") && (tab === 0 || e.tab === tab));
		return at[lastAt(at, ms)]?.url ?? "";
	}

	// The gap whose middle part has the moment, as {from, to, next}: playing goes on at next.
	gapAt(ms) {
		const gap = this.gaps.find((g) => ms >= g.from + MARGIN_MS && ms < g.to - MARGIN_MS);
		return gap ? { ...gap, next: gap.to - MARGIN_MS } : null;
	}
}
