/** Charts of memory over time and address. */
package org.allocsim.reports.chart.memory;
