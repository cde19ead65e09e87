/** Answers about many traces or scenarios: {@code fleet-report}, {@code suite}. */
package org.allocsim.reports.answer.fleet;
