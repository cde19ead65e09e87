/** Independent runs on all cores. */
@NullMarked
package org.allocsim.analysis.task;

import org.jspecify.annotations.NullMarked;
