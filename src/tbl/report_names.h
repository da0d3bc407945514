/* The kinds of names in reports and in the table vocabulary: REPORT_NAME(name).
   sql/0007-reports.sql checks them. */
REPORT_NAME("actor")
REPORT_NAME("malware")
REPORT_NAME("tool")
REPORT_NAME("sector")
REPORT_NAME("country")
