/* SPDX-License-Identifier: ISC */
/* Writes the documents of a source into segments. A pass does so with the changed documents, a
