/**
 * What to measure and what was measured. The measuring itself is an optional part, which {@link
 * org.allocsim.validation.benchmark.BenchmarkEngine} finds where it is installed.
 */
@NullMarked
package org.allocsim.validation.benchmark;

import org.jspecify.annotations.NullMarked;
