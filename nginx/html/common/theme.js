// SPDX-License-Identifier: ISC
// Light or dark, where somebody chose it in the console. A script of the head, before anything is painted.
try {
	const theme = localStorage.getItem("theme");
	if (theme === "light" || theme === "dark")
		document.documentElement.dataset.theme = theme;
} catch {
	// Without storage the system's choice stands.
}
