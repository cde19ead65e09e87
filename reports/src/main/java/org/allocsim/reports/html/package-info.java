/**
 * Pages that open without a network: recordings of runs as columns, and the scripts that draw them.
 * What a page says in words comes from the answers.
 */
@NullMarked
package org.allocsim.reports.html;

import org.jspecify.annotations.NullMarked;
