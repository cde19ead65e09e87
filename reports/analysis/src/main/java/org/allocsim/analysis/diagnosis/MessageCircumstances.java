package org.allocsim.analysis.diagnosis;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.stats.ByteFormat;

/** GPU and limit of a recording without failures, from the message of its run. */
public final class MessageCircumstances {
  private MessageCircumstances() {}

  /**
   * What the recording shows, else what the message says: PyTorch prints the limit, else what it
   * held and what was free on a full GPU.
   *
   * @param shown what the recording shows
   * @param source where the message stands
   */
  public static RecordedCircumstances of(
      RecordedCircumstances shown, OomMessage message, String source) {
    if (!shown.areUnknown()) {
      return shown;
    }
    Optional<Long> capacityBytes = rounded(message, OomMessage.Amount.CAPACITY);
    DeviceProfile known =
        capacityBytes
            .map(bytes -> RecordedCircumstances.smallestFor(bytes, shown.profile()))
            .orElse(shown.profile());
    Optional<Long> limit = rounded(message, OomMessage.Amount.LIMIT);
    if (limit.isPresent()) {
      return new RecordedCircumstances(
          limit.get(),
          known,
          false,
          List.of("limit " + ByteFormat.human(limit.get()) + ", as " + source + " says"));
    }
    Optional<Long> freeBytes = rounded(message, OomMessage.Amount.FREE);
    Optional<Long> heldBytes =
        rounded(message, OomMessage.Amount.RESERVED)
            .or(() ->
                rounded(message, OomMessage.Amount.ALLOCATED)
                    .flatMap(allocated ->
                        rounded(message, OomMessage.Amount.CACHED).map(each -> allocated + each)));
    if (capacityBytes.isEmpty() || freeBytes.isEmpty() || heldBytes.isEmpty()) {
      return shown;
    }
    long availableBytes = Math.min(known.totalBytes(), heldBytes.get() + freeBytes.get());
    return new RecordedCircumstances(
        MemoryLimit.NONE,
        known.withCapacity(availableBytes),
        false,
        List.of(
            "GPU "
                + known.name()
                + " with "
                + ByteFormat.human(availableBytes)
                + " for the program, what it held and what was free as "
                + source
                + " says"));
  }

  private static Optional<Long> rounded(OomMessage message, OomMessage.Amount amount) {
    return message.bytes(amount).map(range -> Math.round(range.value()));
  }
}
