/** Umpire's replay files, in the current form and in the older one. */
@NullMarked
package org.allocsim.workloads.format.umpire;

import org.jspecify.annotations.NullMarked;
