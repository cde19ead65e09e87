/** Charts that set results side by side. */
package org.allocsim.reports.chart.comparison;
