/** Options that several commands share, and what turns their text into values. */
package org.allocsim.reports.cli.option;
