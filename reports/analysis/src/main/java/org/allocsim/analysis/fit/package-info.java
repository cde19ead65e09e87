/**
 * What a program would need at another batch or length than the recorded ones. How sizes depend on
 * it is {@link org.allocsim.workloads.transform.SizeFit}'s job; here the fitted programs run.
 */
@NullMarked
package org.allocsim.analysis.fit;

import org.jspecify.annotations.NullMarked;
