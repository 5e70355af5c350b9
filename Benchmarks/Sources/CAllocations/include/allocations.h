#pragma once

/// How often this program has asked for memory so far.
unsigned long allocations(void);
