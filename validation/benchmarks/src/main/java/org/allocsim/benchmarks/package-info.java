/** Runs the benchmarks and hands out what they measured; nothing of JMH shows. */
@NullMarked
package org.allocsim.benchmarks;

import org.jspecify.annotations.NullMarked;
