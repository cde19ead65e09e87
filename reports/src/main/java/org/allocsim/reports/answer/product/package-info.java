/** Answers about one file or one part of the program: {@code inspect}, {@code list}. */
package org.allocsim.reports.answer.product;
