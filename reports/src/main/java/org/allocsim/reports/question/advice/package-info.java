/** Questions about changes of a program that were tried. */
@NullMarked
package org.allocsim.reports.question.advice;

import org.jspecify.annotations.NullMarked;
