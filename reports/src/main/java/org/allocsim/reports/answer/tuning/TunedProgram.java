package org.allocsim.reports.answer.tuning;

import org.allocsim.workloads.source.DeviceTrace;

/** The answer of {@code tune} and the recording that it is about. */
public record TunedProgram(DeviceTrace input, TuneAnswer answer) {}
