/** Models that servers load: what their weights and a token's keys and values take. */
@NullMarked
package org.allocsim.workloads.model;

import org.jspecify.annotations.NullMarked;
