/** Charts of what host and GPU do over time. */
@NullMarked
package org.allocsim.reports.chart.idle;

import org.jspecify.annotations.NullMarked;
