/**
 * How quantities stand in sentences, and rows and values in CSV and JSON. What a whole answer looks
 * like belongs to the module that prints it.
 */
@NullMarked
package org.allocsim.analysis.text;

import org.jspecify.annotations.NullMarked;
