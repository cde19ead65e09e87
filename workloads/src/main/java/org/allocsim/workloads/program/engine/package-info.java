/**
 * An inference engine as a program: how vLLM loads a model, measures its peak, allocates the cache,
 * captures CUDA graphs, serves steps, sleeps and wakes. Schedulers and caches of requests do not
 * belong here.
 */
@NullMarked
package org.allocsim.workloads.program.engine;

import org.jspecify.annotations.NullMarked;
