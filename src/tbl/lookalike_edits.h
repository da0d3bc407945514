/* The misspellings of a watched label: LOOKALIKE_EDIT(id, name). A replaced letter is a vowel for
   another vowel, else the key beside it, else a letter that differs by one bit, else any other
   letter. */
LOOKALIKE_EDIT(OMISSION, "omission")
LOOKALIKE_EDIT(INSERTION, "insertion")
LOOKALIKE_EDIT(REPETITION, "repetition")
LOOKALIKE_EDIT(TRANSPOSITION, "transposition")
LOOKALIKE_EDIT(VOWEL, "vowel")
LOOKALIKE_EDIT(REPLACEMENT, "replacement")
LOOKALIKE_EDIT(BITSQUAT, "bitsquat")
LOOKALIKE_EDIT(TWO, "two_edits")
