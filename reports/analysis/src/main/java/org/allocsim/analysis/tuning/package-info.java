/**
 * One program under other conditions: settings, limits, devices, allocators and small changes of
 * the program itself, and what configuration strings mean for it.
 */
@NullMarked
package org.allocsim.analysis.tuning;

import org.jspecify.annotations.NullMarked;
