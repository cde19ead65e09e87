/**
 * The rows of a profile joined: the work of a GPU, the calls that queued it, what they wait for,
 * and the steps.
 */
@NullMarked
package org.allocsim.analysis.idle.timeline;

import org.jspecify.annotations.NullMarked;
