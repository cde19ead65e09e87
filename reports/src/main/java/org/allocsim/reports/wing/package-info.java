/**
 * How a wing is found: a module that the ordinary program has and that the core works without. It
 * adds commands and the kinds of their answers; it may use the core, and nothing in the core may
 * use it.
 */
@NullMarked
package org.allocsim.reports.wing;

import org.jspecify.annotations.NullMarked;
