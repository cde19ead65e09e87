/* What processes of the program use of the devices: a table in a file that all of them see. */
#pragma once
#include <stdint.h>

enum { USAGE_DEVICES = 64 };

/*
 * This process uses a device from now on. What is at *free_bytes, the free bytes of each device, is kept in the table from now on, where
 * there is one and a place in it.
 */
void usage_begin(uint64_t **free_bytes, int device);

/* The n-th process: 1 where it uses the device, with its number and what it has left there; 0 where it does not; -1 beyond the last one. */
int usage_at(int at, int device, unsigned *process, uint64_t *left);
