/**
 * Many traces under many settings: the grid of a sweep, what one run comes to, where finished runs
 * are kept, and the engine that spreads them over the cores of one machine. Other engines use the
 * same parts, so that their results are the same rows.
 */
@NullMarked
package org.allocsim.analysis.fleet.sweep;

import org.jspecify.annotations.NullMarked;
