/**
 * Input as it is stored: compression, reading ahead, bounds on what a file may expand to, and files
 * that are being written. It knows nothing of what the bytes mean and uses no other package.
 */
@NullMarked
package org.allocsim.workloads.io;

import org.jspecify.annotations.NullMarked;
