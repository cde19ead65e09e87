/** Questions about the memory of a program at a moment. */
@NullMarked
package org.allocsim.reports.question.moment;

import org.jspecify.annotations.NullMarked;
