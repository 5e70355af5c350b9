#pragma once

/// Returns the number of heap allocations of this process so far.
unsigned long allocations(void);
