/** The allocator's part in a profile: what it held, and what it would under other settings. */
@NullMarked
package org.allocsim.analysis.idle.memory;

import org.jspecify.annotations.NullMarked;
