/**
 * Answers about one file or one part of the program: {@code inspect}, {@code list}, and what a
 * command wrote.
 */
@NullMarked
package org.allocsim.reports.answer.product;

import org.jspecify.annotations.NullMarked;
