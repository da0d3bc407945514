/* The parameters of surfaced.conf(5): PARAM(name, type, programs, default, min, max, help). A file
   of params/ has the rows of one program, and shared.h those of several. A program refuses a
   parameter that does not name it. For text and path, and for the types that daemon/conf_check.h
   checks, min and max are lengths. */
#include "tbl/params/shared.h"
#include "tbl/params/surfaced.h"
#include "tbl/params/index.h"
#include "tbl/params/alert.h"
#include "tbl/params/export.h"
#include "tbl/params/detect.h"
#include "tbl/params/stream.h"
#include "tbl/params/dispatch.h"
#include "tbl/params/egress.h"
#include "tbl/params/runner.h"
#include "tbl/params/surfacectl.h"
