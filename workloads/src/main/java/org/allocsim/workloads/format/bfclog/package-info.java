/**
 * The verbose log of XLA's best-fit allocator: messages of several threads become requests in an
 * order that the log supports.
 */
@NullMarked
package org.allocsim.workloads.format.bfclog;

import org.jspecify.annotations.NullMarked;
