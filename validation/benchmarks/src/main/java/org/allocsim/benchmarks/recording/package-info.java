/** Recordings of any length to measure with, made by the simulator itself. */
package org.allocsim.benchmarks.recording;
