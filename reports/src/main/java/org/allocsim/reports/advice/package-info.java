/**
 * Analyses: they make runs of a trace and draw conclusions, such as the best setting, the smallest
 * device, or what fills memory at a moment. They take values and give values; options, files and
 * printed text do not belong here.
 */
package org.allocsim.reports.advice;
