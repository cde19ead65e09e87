/** Writes documents for terminals, pull requests, spreadsheets and programs. */
package org.allocsim.reports.document.render;
