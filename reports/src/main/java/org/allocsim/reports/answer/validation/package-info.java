/**
 * Answers that check the simulator: {@code validate}, {@code verify}, {@code calibrate}, {@code
 * bench}.
 */
@NullMarked
package org.allocsim.reports.answer.validation;

import org.jspecify.annotations.NullMarked;
