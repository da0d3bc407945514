/* SPDX-License-Identifier: ISC */
/* FastCGI that answers nothing: what t/bench/requests compares with. t/bench/empty SOCKET PROCESSES, in the foreground
   until SIGTERM ends its process group. */
#include "config.h"

#include <fcgiapp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	FCGX_Request request;
	int fd;

	if (argc != 3 || FCGX_Init() != 0)
		return 2;
	fd = FCGX_OpenSocket(argv[1], 511);
	for (long i = strtol(argv[2], NULL, 10); i > 1; i--)
		if (fork() == 0)
			break;
	if (fd < 0 || FCGX_InitRequest(&request, fd, 0) != 0)
		return 1;
	while (FCGX_Accept_r(&request) >= 0) {
		FCGX_FPrintF(request.out, "Status: 200\r\nContent-Length: 0\r\n\r\n");
		FCGX_Finish_r(&request);
	}
	return 0;
}
