/* Top-level domains that are extensions of files too: FILE_TLD("name", country). A name with one is
   dropped outside of lists of indicators. A country's names are domains in such a list; the others
   only where the heading or the label is about domains. com is none: domains end so far more often
   than programs. */
FILE_TLD("zip",		false)
FILE_TLD("mov",		false)
FILE_TLD("app",		true)
FILE_TLD("bat",		false)
FILE_TLD("cab",		false)
FILE_TLD("py",		false)
FILE_TLD("sh",		false)
FILE_TLD("so",		false)
FILE_TLD("ps",		false)
FILE_TLD("md",		true)
FILE_TLD("pl",		true)
FILE_TLD("rs",		true)
FILE_TLD("pm",		true)
FILE_TLD("java",	false)
