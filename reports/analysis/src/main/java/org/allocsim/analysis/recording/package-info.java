/**
 * What a recording says of the GPU and the limit of its program, inferred once for all questions.
 */
package org.allocsim.analysis.recording;
