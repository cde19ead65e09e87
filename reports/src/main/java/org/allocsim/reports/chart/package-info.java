/**
 * Charts: data drawn from results in one step, pictures drawn from the data in another, and the
 * files that hold them. Nothing here knows commands or replays a trace.
 */
@NullMarked
package org.allocsim.reports.chart;

import org.jspecify.annotations.NullMarked;
