/** Rows of sweeps as Parquet, an optional part of the program. */
package org.allocsim.reports.parquet;
