package org.allocsim.analysis.oom;

import static org.allocsim.analysis.oom.PrintedSize.describe;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.analysis.oom.OomMessage.ProcessUse;
import org.jspecify.annotations.Nullable;

/** What the numbers of a message show beside the verdict. */
final class OomFindings {
  private final OomMessage message;
  private final @Nullable ByteRange allowance;
  private final @Nullable ByteRange leftOver;
  private final @Nullable ByteRange other;

  /** Takes what was worked out; null where the message does not say. */
  OomFindings(
      OomMessage message,
      @Nullable ByteRange allowance,
      @Nullable ByteRange leftOver,
      @Nullable ByteRange other) {
    this.message = message;
    this.allowance = allowance;
    this.leftOver = leftOver;
    this.other = other;
  }

  void addTo(List<String> findings, OomVerdict verdict, boolean largeOther, boolean ownOther) {
    limit(findings, verdict);
    if (largeOther
        && other != null
        && verdict != OomVerdict.CAPPED
        && verdict != OomVerdict.IMPOSSIBLE) {
      findings.add(
          describe(other.value())
              + " of the GPU is neither "
              + message.wording().owner()
              + "'s nor free, "
              + (ownOther
                  ? "most of it in this process: libraries (NCCL, cuBLAS and cuDNN workspaces),"
                      + " CUDA graphs, custom kernels."
                  : "held by other processes or by libraries of this one (NCCL, CUDA graphs,"
                      + " workspaces)."
                      + largestProcess())
              + " A context with its libraries takes about 0.3 to 0.8 GiB.");
    }
    message
        .bytes(Amount.PRIVATE_POOLS)
        .ifPresent(pools ->
            findings.add(
                "What the message calls allocated in private pools ("
                    + describe(pools.value())
                    + ") is free, but only for use inside these pools."));
    segment(findings);
    contradictions(findings);
    if (verdict == OomVerdict.FULL) {
      poolsAndCache(findings);
    }
    if (message.wording() == Wording.CACHED) {
      findings.add("In this message \"cached\" means reserved but not allocated.");
    }
    if (message.processesHidden()) {
      findings.add("The driver hides per-process memory, as on Windows and under WSL.");
    }
  }

  /** Native messages print the segment that was wanted (kSmallBuffer and kLargeBuffer). */
  private void segment(List<String> findings) {
    PrintedSize request = message.amounts().get(Amount.REQUEST);
    if (request == null || message.cached().isEmpty()) {
      return;
    }
    if (request.text().equals("2.00 MiB")) {
      findings.add(
          "2.00 MiB is the segment size for requests up to 1 MiB; memory cached for larger requests"
              + " cannot serve them.");
    } else if (request.text().equals("20.00 MiB")) {
      findings.add("20.00 MiB is the segment size for requests between 1 and 10 MiB.");
    }
  }

  private void limit(List<String> findings, OomVerdict verdict) {
    if (allowance == null) {
      return;
    }
    if (message.bytes(Amount.REQUEST).isEmpty()) {
      findings.add(
          "The limit leaves "
              + describe(Math.max(0, allowance.value()))
              + "; the message does not print the requested size."
              + message
                  .bytes(Amount.OTHER_ALLOCATIONS)
                  .map(others ->
                      " Memory outside PyTorch's allocator in this process: "
                          + describe(others.value())
                          + ".")
                  .orElse(""));
      return;
    }
    if (verdict == OomVerdict.CAPPED && leftOver == null) {
      return;
    }
    if (verdict == OomVerdict.CAPPED && leftOver != null) {
      findings.add(
          leftOver.value() < 0
              ? "The program does not fit within the limit: "
                  + describe(-leftOver.value())
                  + " short even with perfect packing."
              : "Within the limit the cause is fragmentation: what is left below the limit ("
                  + describe(Math.max(0, allowance.value()))
                  + ") plus the cache exceeds the request by "
                  + describe(leftOver.value())
                  + ", but is not contiguous.");
      return;
    }
    String limit = message.text(Amount.LIMIT);
    Optional<ByteRange> request = message.bytes(Amount.REQUEST);
    if (request.isPresent() && allowance.value() < request.get().value()) {
      findings.add(
          "The allocator's limit of "
              + limit
              + " is exceeded as well, but raising it alone does not help: the GPU has too little"
              + " free memory.");
    } else {
      findings.add("The allocator's limit of " + limit + " is not the cause.");
    }
  }

  private String largestProcess() {
    return message.processes().stream()
        .max(Comparator.comparingDouble((ProcessUse use) -> use.size().bytes().value()))
        .map(use ->
            " The largest process listed is " + use.pid() + " with " + use.size().text() + ".")
        .orElse("");
  }

  private void contradictions(List<String> findings) {
    Optional<ByteRange> free = message.bytes(Amount.FREE);
    Optional<ByteRange> capacity = message.bytes(Amount.CAPACITY);
    if (free.isPresent() && capacity.isPresent() && free.get().low() > capacity.get().high()) {
      findings.add(
          "The message contradicts itself: more memory is free than the GPU has. Integrated GPUs"
              + " that use system memory report this.");
    } else if (other != null && other.high() < 0) {
      findings.add(
          "The parts exceed the GPU by "
              + describe(-other.value())
              + ": the driver counts memory outside the GPU, or the numbers are from different"
              + " moments.");
    }
  }

  private void poolsAndCache(List<String> findings) {
    Optional<ByteRange> pools = message.bytes(Amount.PRIVATE_POOLS);
    if (pools.isPresent() && leftOver != null && leftOver.value() + pools.get().value() >= 0) {
      findings.add(
          "It would fit with the free blocks of private pools, but no allocator can merge those.");
    }
  }
}
