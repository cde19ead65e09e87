/** Answers that compare what ran with what was simulated: {@code validate}, {@code calibrate}. */
@NullMarked
package org.allocsim.reports.answer.gpu;

import org.jspecify.annotations.NullMarked;
