/** Answers that name a cause: {@code explain-oom}, {@code leaks}, {@code lint-conf}. */
package org.allocsim.reports.answer.diagnosis;
