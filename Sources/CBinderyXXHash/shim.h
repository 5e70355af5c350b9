#pragma once
// memcmp
#include <string.h>
#include <xxhash.h>
