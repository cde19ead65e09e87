/**
 * A server of a language model under the requests of a file: a scheduler, a model of a step's time,
 * and one cache of keys and values after another.
 */
@NullMarked
package org.allocsim.analysis.serving;

import org.jspecify.annotations.NullMarked;
