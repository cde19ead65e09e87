/** Many policies on the same traces. */
@NullMarked
package org.allocsim.reports.answer.compare;

import org.jspecify.annotations.NullMarked;
