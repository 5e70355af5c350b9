#pragma once
// For memcmp.
#include <string.h>
#include <xxhash.h>
