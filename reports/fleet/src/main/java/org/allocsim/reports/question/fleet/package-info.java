/** Questions about many traces at once. */
@NullMarked
package org.allocsim.reports.question.fleet;

import org.jspecify.annotations.NullMarked;
