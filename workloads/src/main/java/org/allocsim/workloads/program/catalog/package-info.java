/**
 * The programs that users name: each sets a model, its data and its training or generation
 * together. Operations and models do not belong here.
 */
@NullMarked
package org.allocsim.workloads.program.catalog;

import org.jspecify.annotations.NullMarked;
