/**
 * Caches of the keys and values of many sequences, as servers of language models manage them: who
 * gets which pages, what is shared, what is thrown out. They know nothing of requests or schedules;
 * whoever serves asks them for room and ends sequences.
 */
@NullMarked
package org.allocsim.analysis.serving.kvcache;

import org.jspecify.annotations.NullMarked;
