/** Columns of numbers that grow at their end, for tables whose rows are not objects. */
@NullMarked
package org.allocsim.simulator.column;

import org.jspecify.annotations.NullMarked;
