/* Kinds of the files of tbl/sensitive_files.h: SENSITIVE_KIND(id, title, remediation). */
SENSITIVE_KIND(CREDENTIALS, "A file with credentials can be downloaded",
    "Remove the file from the server, and replace every credential that it has.")
SENSITIVE_KIND(SETTINGS, "A copy of a program's settings can be downloaded",
    "Remove the copy from the server, and replace the passwords that it has.")
SENSITIVE_KIND(PRIVATE_KEY, "A private key can be downloaded",
    "Remove the file from the server, and replace the key and the certificates that belong to it.")
SENSITIVE_KIND(PASSWORDS, "A store of passwords can be downloaded",
    "Remove the file from the server, and change the passwords that it has.")
SENSITIVE_KIND(DATABASE, "A copy of a database can be downloaded",
    "Remove the file from the server, and find out who has downloaded it.")
SENSITIVE_KIND(REPOSITORY, "A repository of source code can be downloaded",
    "Do not serve the directory of the repository, and replace the credentials in its history.")
SENSITIVE_KIND(HISTORY, "A history of commands can be downloaded",
    "Remove the file from the server, and replace the credentials that were typed.")
#undef SENSITIVE_KIND
