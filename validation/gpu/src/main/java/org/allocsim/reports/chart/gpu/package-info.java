/** Charts of what was predicted beside what was measured. */
@NullMarked
package org.allocsim.reports.chart.gpu;

import org.jspecify.annotations.NullMarked;
