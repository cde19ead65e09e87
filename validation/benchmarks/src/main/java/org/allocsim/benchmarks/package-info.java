/** Runs the benchmarks and hands out what they measured; nothing of JMH shows. */
package org.allocsim.benchmarks;
