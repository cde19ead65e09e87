/** Answers about many traces or scenarios: {@code fleet-report}, {@code suite}. */
@NullMarked
package org.allocsim.reports.answer.fleet;

import org.jspecify.annotations.NullMarked;
