/* SPDX-License-Identifier: ISC */
/* Counts the terms of hits. This is the inner loop of the service: a facet over all hosts makes
 * millions of increments. Two effects decide its speed.
 * - Store forwarding: two increments of the same counter in a row wait for each other, and a
