/**
 * Answers that check the simulator: {@code validate}, {@code verify}, {@code calibrate}, {@code
 * bench}.
 */
package org.allocsim.reports.answer.validation;
