/** Rows of sweeps and series of figures as Parquet, an optional part of the program. */
@NullMarked
package org.allocsim.reports.parquet;

import org.jspecify.annotations.NullMarked;
