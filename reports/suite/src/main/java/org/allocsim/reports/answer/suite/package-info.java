/** Answers about public failures and claims: {@code suite}. */
@NullMarked
package org.allocsim.reports.answer.suite;

import org.jspecify.annotations.NullMarked;
