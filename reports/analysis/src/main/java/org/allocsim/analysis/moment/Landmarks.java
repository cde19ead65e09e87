package org.allocsim.analysis.moment;

import java.util.Optional;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;

/**
 * What the first pass over a program found: where its peaks are, and what failed first.
 *
 * @param program what was replayed
 * @param hasRecordedAddresses whether addresses and refusals are the recorded ones
 * @param divergedRow recorded row from which on the allocator did something else than in the
 *     recording, so that addresses were modelled instead; −1 if it did not, or was not tried
 * @param peakReservedBytes peak of reserved memory
 * @param peakAllocatedBytes peak of allocated memory
 * @param peakRequestedBytes peak of requested memory, of blocks that await their free too
 * @param peakReservedRow trace row after which, while reserved memory has its peak, the most is
 *     allocated for the first time
 * @param peakAllocatedRow trace row after which allocated memory first has its peak
 * @param peakRequestedRow trace row after which requested memory first has its peak
 * @param lastRow last row
 * @param result the figures of the run
 * @param firstFailure the first request that failed for lack of memory
 */
public record Landmarks(
    Program program,
    boolean hasRecordedAddresses,
    long divergedRow,
    long peakReservedBytes,
    long peakAllocatedBytes,
    long peakRequestedBytes,
    int peakReservedRow,
    int peakAllocatedRow,
    int peakRequestedRow,
    int lastRow,
    RunResult result,
    Optional<FailedRequest> firstFailure) {

  /** Number of allocation requests. */
  public long requests() {
    return result.requests();
  }

  /** Number of requests that failed. */
  public long failures() {
    return result.failureCount();
  }

  /** The run of the whole program. */
  public RunSetup setup() {
    RunPolicy policy = RunPolicy.of(program.pytorch());
    return hasRecordedAddresses ? program.onRecordedAnswers(policy) : program.onModel(policy);
  }

  /** Row after which a moment lies; empty where the program has no such moment. */
  Optional<Integer> row(MomentQuery query, Origins origins) {
    return switch (query.kind()) {
      case PEAK_RESERVED -> Optional.of(peakReservedRow);
      case PEAK_ALLOCATED -> Optional.of(peakAllocatedRow);
      case PEAK_REQUESTED -> Optional.of(peakRequestedRow);
      case END -> Optional.of(lastRow);
      case FIRST_OOM -> firstFailure.map(FailedRequest::row);
      case REQUEST -> origins.rowOfRequest(query.request());
    };
  }

  /** The moment of the first failed request if one failed, else the peak of reserved memory. */
  public MomentQuery failureOrPeak() {
    return MomentQuery.of(firstFailure.isPresent() ? Kind.FIRST_OOM : Kind.PEAK_RESERVED);
  }
}
