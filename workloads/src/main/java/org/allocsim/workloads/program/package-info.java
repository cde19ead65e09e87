/**
 * Programs that generate traces: what a program is to the rest, its options, random sources, and
 * programs that follow no framework. Programs written after PyTorch are in the packages below.
 */
@NullMarked
package org.allocsim.workloads.program;

import org.jspecify.annotations.NullMarked;
