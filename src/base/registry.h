/* SPDX-License-Identifier: ISC */
/* Lists that collect themselves: the statements, route tables and commands of a program.
 *
 * Each of them is defined in the file of its subject, and something in another file needs all of
 * them: `-D sql` the statements, the router the route tables, main() of surfacectl the commands. A
 * list by hand would name every object a second time, in a file that each new subject has to
 * change. The linker makes the list instead:
 *
 *   silence.c   static const struct stmt insert_silence = {...};   anywhere in .rodata
 *               static ... insert_silence_entry = &insert_silence   in the section "registry_stmts"
 *   rule.c      static ... insert_rule_entry    = &insert_rule      in the section "registry_stmts"
 *                                        |
 *                                        v  the linker puts sections of one name behind each other
 *   program   registry_stmts: [ &insert_silence | &insert_rule | ... ]
 *               stmts_first                                 stmts_end
 *
 * Entries are pointers and not the objects: a section of pointers has no gaps, whereas compilers
 * align objects as they like, and AddressSanitizer surrounds them with padding. The attributes used
 * and retain keep an entry that no code refers to when the compiler optimises the whole program and
 * when the linker drops sections.
 *
 * An object file of a static library is linked only if something refers to it. So the list of a
 * program has the statements of those library files that the program calls, and no others; that is
 * the list that is wanted. A file that nothing calls, such as one of operations, must be linked as
 * an object: it belongs to the sources of its program and not into a library.
 *
 * The order of the entries is up to the compiler and the linker. A caller that prints or numbers
 * them sorts them. */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H

#include "base/compiler.h"

#if defined(__has_attribute) && __has_attribute(retain)
#define REGISTRY_KEPT used, retain
#else
#define REGISTRY_KEPT used
#endif

/* Enters an object in a list. */
#define REGISTER(list, object)                                                                     \
	static __typeof__(object) *const object##_entry                                            \
	    __attribute__((section("registry_" #list), REGISTRY_KEPT)) = &(object)

/* Declares the ends of a list: list_first[] and list_end[]. They are equal if no file has an
   entry. */
#define REGISTRY(type, list)                                                                       \
	extern type *const list##_first[] __asm__("__start_registry_" #list)                       \
	    __attribute__((weak));                                                                 \
	extern type *const list##_end[] __asm__("__stop_registry_" #list) __attribute__((weak))

/* Copies the n pointers of a list to room, sorted by name. The first member of their objects must
   be `const char *name`. */
void registry_sort(const void *list, size_t n, void *room);

#endif
