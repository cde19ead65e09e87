/**
 * Why a run failed and what would have saved it: one answer made of the other analyses. Begin with
 * {@link org.allocsim.analysis.diagnosis.Diagnosis}.
 */
@NullMarked
package org.allocsim.analysis.diagnosis;

import org.jspecify.annotations.NullMarked;
