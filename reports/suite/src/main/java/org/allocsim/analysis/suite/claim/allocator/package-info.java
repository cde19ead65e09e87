/** Claims about allocators, their settings and their figures, a class for each. */
@NullMarked
package org.allocsim.analysis.suite.claim.allocator;

import org.jspecify.annotations.NullMarked;
