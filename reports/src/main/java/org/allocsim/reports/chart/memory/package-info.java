/** Charts of memory over time and address. */
@NullMarked
package org.allocsim.reports.chart.memory;

import org.jspecify.annotations.NullMarked;
