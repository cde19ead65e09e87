/** Which changes make a program fit. */
@NullMarked
package org.allocsim.reports.answer.advice;

import org.jspecify.annotations.NullMarked;
