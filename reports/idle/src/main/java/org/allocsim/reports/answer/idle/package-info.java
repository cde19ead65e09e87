/** Answers about the time of a GPU. */
@NullMarked
package org.allocsim.reports.answer.idle;

import org.jspecify.annotations.NullMarked;
