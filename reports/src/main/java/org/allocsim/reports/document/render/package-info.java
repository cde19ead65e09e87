/** Writes documents for terminals, pull requests, spreadsheets and programs. */
@NullMarked
package org.allocsim.reports.document.render;

import org.jspecify.annotations.NullMarked;
