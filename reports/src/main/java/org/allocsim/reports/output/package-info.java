/**
 * What leaves the program: files that appear whole or not at all, folders of charts, progress,
 * failures and exit codes.
 */
package org.allocsim.reports.output;
