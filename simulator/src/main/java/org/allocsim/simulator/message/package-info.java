/** What real allocators say where they fail, word for word. */
@NullMarked
package org.allocsim.simulator.message;

import org.jspecify.annotations.NullMarked;
