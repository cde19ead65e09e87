/** Answers about many traces: {@code fleet-report}. */
@NullMarked
package org.allocsim.reports.answer.fleet;

import org.jspecify.annotations.NullMarked;
