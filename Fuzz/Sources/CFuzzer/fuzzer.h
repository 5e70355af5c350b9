#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's loop. Its own `main`, which would call this, is not linked: SwiftPM names the entry point itself.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));
