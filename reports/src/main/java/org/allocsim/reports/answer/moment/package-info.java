/** Answers about one moment of a program: {@code peak}, {@code blockers}, {@code diff}. */
@NullMarked
package org.allocsim.reports.answer.moment;

import org.jspecify.annotations.NullMarked;
