/** Jobs of many ranks: their recordings, and what those come to together. */
@NullMarked
package org.allocsim.analysis.job;

import org.jspecify.annotations.NullMarked;
