/**
 * Sweeps as a job of Apache Spark: an engine beside the one for this machine, found as a service.
 * Only this package knows Spark. What a sweep is and what its rows hold belongs to the package that
 * it serves.
 */
@NullMarked
package org.allocsim.reports.spark;

import org.jspecify.annotations.NullMarked;
