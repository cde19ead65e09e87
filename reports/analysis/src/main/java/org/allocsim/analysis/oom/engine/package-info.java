/**
 * What the logs of inference engines say about their memory, and by how much which of their options
 * would have to change.
 */
@NullMarked
package org.allocsim.analysis.oom.engine;

import org.jspecify.annotations.NullMarked;
