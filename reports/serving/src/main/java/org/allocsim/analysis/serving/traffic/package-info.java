/** Requests to servers of language models: when they came and how long they were. */
@NullMarked
package org.allocsim.analysis.serving.traffic;

import org.jspecify.annotations.NullMarked;
