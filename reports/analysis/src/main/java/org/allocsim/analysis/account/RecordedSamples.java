package org.allocsim.analysis.account;

import java.util.Comparator;
import java.util.Optional;
import org.allocsim.analysis.account.GpuAccount.Gpu;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;

/** What {@code allocsim record} saw of a GPU while the program ran. */
public final class RecordedSamples {
  private RecordedSamples() {}

  /**
   * The GPU at a moment of a program, by the sample that is nearest in time. What the process holds
   * beyond its allocator, and what others hold, is taken from the sample; what the allocator
   * reserves, from the moment: what it reserves more or less than in the sample is not free, or is.
   *
   * @param device the recorded device
   * @param bareContextBytes what a process holds on such a GPU before it allocates
   * @return nothing where the snapshot has no sample of it that knows the process
   */
  public static Optional<Gpu> at(
      Snapshot snapshot, int device, MemoryMoment moment, long bareContextBytes) {
    Optional<RecordedFacts.Device> facts = snapshot.facts().flatMap(each -> each.device(device));
    return facts.flatMap(known ->
        known.samples().stream()
            .filter(each -> each.processBytes() >= Math.max(0, each.reservedBytes()))
            .filter(each -> each.reservedBytes() >= 0)
            .min(Comparator.comparingLong(each -> Math.abs(each.timeNanos() - moment.timeNanos())))
            .map(each -> gpu(each, known.collectivesBytes(), moment, bareContextBytes)));
  }

  private static Gpu gpu(
      RecordedFacts.Sample sample,
      long collectivesBytes,
      MemoryMoment moment,
      long bareContextBytes) {
    long moreBytes = moment.bytes().reservedBytes() - sample.reservedBytes();
    return new Gpu(
        sample.totalBytes(),
        "the recording",
        Math.max(0, sample.freeBytes() - moreBytes),
        moreBytes == 0 ? "the sample" : "the sample plus memory reserved since",
        sample.driverBytes(),
        sample.processBytes() + moreBytes,
        sample.otherProcessesBytes(),
        bareContextBytes,
        sample.poolsBytes(),
        collectivesBytes,
        "recorded " + distance(sample.timeNanos() - moment.timeNanos()));
  }

  private static String distance(long nanos) {
    return Numbers.duration(Math.abs(nanos)) + (nanos < 0 ? " before" : " after");
  }
}
