/**
 * What a recording says of the GPU and the limit of its program, inferred once for all questions.
 */
@NullMarked
package org.allocsim.analysis.recording;

import org.jspecify.annotations.NullMarked;
