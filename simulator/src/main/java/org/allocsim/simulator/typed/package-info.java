/**
 * What people type: names that are nearly right, and numbers as they were printed. What a name
 * stands for, and which numbers are valid, belongs to those who read them.
 */
@NullMarked
package org.allocsim.simulator.typed;

import org.jspecify.annotations.NullMarked;
