/* SPDX-License-Identifier: ISC */
/* Replays a fuzz target's corpus and prints TAP: t/fuzz/x.t takes each file of t/fuzz/corpus/x, or the
   files it is given. With --enable-fuzz libFuzzer brings the main() instead. */
#include "config.h"

#include "t/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FUZZ

static unsigned tests;

/* The input in memory of exactly its size, so that the sanitizers see a read behind it. */
static void
replay(const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;

	if (in != NULL && fseek(in, 0, SEEK_END) == 0)
		size = ftell(in);
	if (size >= 0)
		data = malloc(size > 0 ? (size_t)size : 1);
	if (data != NULL) {
		rewind(in);
		if (fread(data, 1, (size_t)size, in) != (size_t)size)
			size = -1;
		else
			LLVMFuzzerTestOneInput(data, (size_t)size);
	}
	printf("%sok %u - %s\n", data != NULL && size >= 0 ? "" : "not ", ++tests, path);
	free(data);
	if (in != NULL)
		fclose(in);
}

static int
visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* t/fuzz/scan.t -> t/fuzz/corpus/scan */
static void
replay_corpus(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *stem = slash == NULL ? program : slash + 1;
	struct dirent **names = NULL;
	char dir[512], path[1024];
	int n;

	snprintf(dir, sizeof(dir), "t/fuzz/corpus/%.*s", (int)strcspn(stem, "."), stem);
	n = scandir(dir, &names, visible, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		replay(path);
		free(names[i]);
	}
	free(names);
	if (tests == 0)
		printf("not ok %u - %s has no files\n", ++tests, dir);
}

int
main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay_corpus(argv[0]);
	printf("1..%u\n", tests);
	return 0;
}

#endif
