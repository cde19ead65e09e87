/**
 * What a snapshot says beside its history and segments: the allocator's settings, named spans of
 * the program, what {@code allocsim record} adds. Rows of a history do not belong here.
 */
@NullMarked
package org.allocsim.workloads.format.pytorch.metadata;

import org.jspecify.annotations.NullMarked;
