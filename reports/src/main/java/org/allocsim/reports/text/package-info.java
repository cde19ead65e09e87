/**
 * Text for people: numbers with units, tables that fit the terminal, wrapped lines, CSV. It knows
 * no subject and uses no other package of this module.
 */
@NullMarked
package org.allocsim.reports.text;

import org.jspecify.annotations.NullMarked;
