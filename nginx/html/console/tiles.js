// SPDX-License-Identifier: ISC
// The map: a tile of equal size for each country, roughly at its place. A row is a list of runs of
// adjacent countries, each after the number of its first column.

export const COLUMNS = 32;

const ROWS = [
	"7GL 12IS 14NOSEFI",
	"12FO 14DK 16EELV 20RU",
	"2CA 11IEGBNLDEPLLTBY",
	"2US 4PM 10IMJEBELUCZSKUAMD 21KZ 24MN",
	"2MX 5BM 11GGFRCHLIATHURO 19GEAZUZKG 25KP",
	"2GTBZ 5CUBSTC 10PTESADMCSMSIHRRSBG 20AMTMTJ 24CNKRJP",
	"2SVHN 5JMHTDOPRVG 11GI 13VAIT 16BAXKMKTRSY 22AFNPBT 26MOHKTW",
	"3NI 5KYVIAISXMF 14MT 16MEALGRCYLBIQIRPKINBDMMLAVN",
	"3CR 6KNMSAGBL 12MADZTNLYEG 19PSILJOKW 24LK 26THKH 29PHGU",
	"3PA 6DMGPMQ 11EHMRMLNETDSDER 20SABHQA 24MV 26MYSGBN 29PWMPMH",
	"6VCLCBB 10CVSNGMBFNGCMCFSSETDJYEOMAE 27IDTLPGFMKI",
	"4AWCWBQGDTT 11GWGNCIBJGACGUGKESO 29SBNRTV",
	"4COVEGYSRGF 12SLGHTGGQCDRWTZ 20SC 28AUNCVUWF",
	"4ECPEBR 12LR 14STAOZMBIMWKM 30FJWS",
	"5BOPY 11SH 15NABWZWMZYTMU 29NZTOAS",
	"4CLARUY 16ZASZ 19MGRE 30CKNU",
	"6FK 16LS 30PF",
];

export const HEIGHT = ROWS.length;

// Returns [{code, column, row}] of all countries on the map, from the top left.
export function tiles() {
	const found = [];
	ROWS.forEach((text, row) => {
		for (const [, first, codes] of text.matchAll(/(\d+)([A-Z]+)/gu))
			for (let i = 0; i < codes.length; i += 2)
				found.push({ code: codes.slice(i, i + 2), column: Number(first) + i / 2, row });
	});
	return found;
}

// Returns 0 for no count, and 1 to 6 by the logarithm of the count; the largest count gets 6.
export function shade(count, largest) {
	if (!count)
		return 0;
	return largest <= 1 ? 6 : 1 + Math.round((5 * Math.log(count)) / Math.log(largest));
}

const names = new Intl.DisplayNames(["en"], { type: "region" });

export function countryName(code) {
	try {
		return code === "XK" ? "Kosovo" : names.of(code);
	} catch {
		return code; // not the code of a country
	}
}
