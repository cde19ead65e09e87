/**
 * Reads out-of-memory messages of all frameworks and wordings, and explains them: verdict,
 * arithmetic, what helps and what cannot. It needs no trace and no allocator.
 */
@NullMarked
package org.allocsim.analysis.oom;

import org.jspecify.annotations.NullMarked;
