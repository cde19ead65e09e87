/** The question about the time of a GPU. */
@NullMarked
package org.allocsim.reports.question.idle;

import org.jspecify.annotations.NullMarked;
