/** Answers that check the simulator: {@code verify}, {@code bench}. */
@NullMarked
package org.allocsim.reports.answer.validation;

import org.jspecify.annotations.NullMarked;
