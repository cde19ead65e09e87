package org.allocsim.analysis.diagnosis;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * GPU and limit of a recording whose run printed a message that says more about them.
 *
 * @param recorded GPU and limit
 * @param again what to ask of the recording for the same without the message
 */
public record MessageConditions(RecordedConditions recorded, Conditions again) {
  /**
   * What the recording shows, else what the message says: PyTorch prints the limit, else what it
   * held and what was free on a full GPU. A recording alone shows between which sizes the limit
   * lies; one of these that is printed is the limit.
   *
   * @param program what options give and the recording shows
   * @param source where the message stands
   */
  public static MessageConditions of(Program program, OomMessage message, String source) {
    DeviceTrace input = program.input();
    RecordedConditions shown = program.recordedConditions();
    long givenBytes = program.knownLimitBytes();
    Optional<Long> limit = rounded(message, OomMessage.Amount.LIMIT);
    if (!shown.areUnknown()) {
      return limit.isPresent() && givenBytes == MemoryLimit.NONE && explains(limit.get(), input)
          ? new MessageConditions(
              RecordedConditions.of(input, limit.get(), null)
                  .because(limitClause(limit.get(), source)),
              program.again().within(new Conditions.Limit.Size(limit.get())))
          : new MessageConditions(shown, program.again());
    }
    Optional<Long> capacityBytes = rounded(message, OomMessage.Amount.CAPACITY);
    DeviceProfile known =
        capacityBytes
            .map(bytes -> RecordedConditions.smallestFor(bytes, shown.profile()))
            .orElse(shown.profile());
    if (limit.isPresent()) {
      return new MessageConditions(
          RecordedConditions.known(
              limit.get(), known, false, List.of(limitClause(limit.get(), source))),
          program
              .again()
              .within(new Conditions.Limit.Size(limit.get()))
              .on(known.equals(shown.profile()) ? null : known));
    }
    Optional<Long> freeBytes = rounded(message, OomMessage.Amount.FREE);
    Optional<Long> heldBytes =
        rounded(message, OomMessage.Amount.RESERVED)
            .or(() ->
                rounded(message, OomMessage.Amount.ALLOCATED)
                    .flatMap(allocated ->
                        rounded(message, OomMessage.Amount.CACHED).map(each -> allocated + each)));
    if (capacityBytes.isEmpty() || freeBytes.isEmpty() || heldBytes.isEmpty()) {
      return new MessageConditions(shown, program.again());
    }
    long availableBytes = Math.clamp(heldBytes.get() + freeBytes.get(), 1, known.totalBytes());
    return new MessageConditions(
        RecordedConditions.known(
            MemoryLimit.NONE,
            known.withCapacity(availableBytes),
            false,
            List.of(
                "GPU "
                    + known.name()
                    + " with "
                    + ByteFormat.human(availableBytes)
                    + " for the program: the memory it held plus the free memory, from "
                    + source)),
        program.again().on(DeviceProfiles.ofCapacity(availableBytes)));
  }

  /**
   * Whether the recording shows that there was a limit, but no more than that it is between two
   * sizes, and this is one of them. Where garbage is collected the limit says when, so that a
   * rounded one would not do.
   */
  private static boolean explains(long limitBytes, DeviceTrace input) {
    return input
        .recording()
        .filter(recording -> recording.snapshot().facts().isEmpty())
        .filter(recording -> recording.config().allocator().garbageCollectionThreshold() == 0)
        .filter(recording -> recording.limitBytes(input.device()) != MemoryLimit.NONE)
        .filter(recording ->
            recording.minLimitBytes(input.device()) <= limitBytes
                && limitBytes <= recording.limitBytes(input.device()))
        .isPresent();
  }

  private static String limitClause(long limitBytes, String source) {
    return "limit " + ByteFormat.human(limitBytes) + ", from " + source;
  }

  private static Optional<Long> rounded(OomMessage message, OomMessage.Amount amount) {
    return message.bytes(amount).map(range -> Math.round(range.value()));
  }
}
