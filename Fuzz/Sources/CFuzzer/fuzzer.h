#pragma once
#include <stddef.h>
#include <stdint.h>

// The fuzzing loop of libFuzzer. Called explicitly, because SwiftPM's own entry point replaces libFuzzer's `main`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));
