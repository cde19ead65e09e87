/** Commands that compare settings, allocators, sizes and GPUs. */
@NullMarked
package org.allocsim.reports.cli.decide;

import org.jspecify.annotations.NullMarked;
