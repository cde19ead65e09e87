/** Answers about one moment of a program: {@code peak}, {@code pins}, {@code diff}. */
package org.allocsim.reports.answer.moment;
