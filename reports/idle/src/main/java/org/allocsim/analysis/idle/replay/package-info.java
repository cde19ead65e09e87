/** Recorded steps run again, as they were and under changes. */
@NullMarked
package org.allocsim.analysis.idle.replay;

import org.jspecify.annotations.NullMarked;
