/** Questions about other settings, sizes and GPUs. */
@NullMarked
package org.allocsim.reports.question.tuning;

import org.jspecify.annotations.NullMarked;
