/** Charts that set results side by side. */
@NullMarked
package org.allocsim.reports.chart.comparison;

import org.jspecify.annotations.NullMarked;
