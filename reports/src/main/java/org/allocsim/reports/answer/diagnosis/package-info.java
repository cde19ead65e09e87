/** Answers that name a cause: {@code explain-oom}, {@code leaks}, {@code lint-conf}. */
@NullMarked
package org.allocsim.reports.answer.diagnosis;

import org.jspecify.annotations.NullMarked;
