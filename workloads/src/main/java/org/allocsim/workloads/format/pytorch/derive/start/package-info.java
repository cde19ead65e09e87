/**
 * What a device held when its history begins: found from the history and the segments at its end,
 * and written as the rows that recreate it. What the program asked for during the history does not
 * belong here.
 */
@NullMarked
package org.allocsim.workloads.format.pytorch.derive.start;

import org.jspecify.annotations.NullMarked;
