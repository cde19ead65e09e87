package org.allocsim.analysis.oom;

import static org.allocsim.analysis.oom.PrintedSize.describe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.jspecify.annotations.Nullable;

/**
 * What can help against a failure and what cannot, with the settings that the version of the
 * message knows: {@code max_split_size_mb} since 1.10, {@code expandable_segments} since 2.1 (not
 * on Windows), {@code PYTORCH_ALLOC_CONF} read for CUDA since 2.10.
 */
final class OomAdvice {
  /** The smallest max_split_size_mb that PyTorch accepts. */
  private static final double SMALLEST_SPLIT_LIMIT_BYTES = 20 * 0x1p20;

  private static final String LESS_MEMORY =
      "Use less memory: smaller batch or sequence, activation checkpointing, lower precision,"
          + " optimizer or parameters offloaded to the host.";

  private final OomMessage message;
  private final OomSettings settings;
  private final boolean windows;
  private final @Nullable ByteRange leftOver;
  private final List<String> helps = new ArrayList<>();
  private final List<String> cannotHelp = new ArrayList<>();

  OomAdvice(
      OomMessage message, OomSettings settings, boolean windows, @Nullable ByteRange leftOver) {
    this.message = message;
    this.settings = settings;
    this.windows = windows;
    this.leftOver = leftOver;
  }

  List<String> helps() {
    return helps;
  }

  List<String> cannotHelp() {
    return cannotHelp;
  }

  /** Fills both lists. */
  void of(
      OomVerdict verdict,
      boolean nearlyFull,
      @Nullable ByteRange other,
      boolean largeOther,
      boolean ownOther) {
    if (!message.wording().help().isEmpty()) {
      helps.add(message.wording().help());
      if (verdict == OomVerdict.UNKNOWN) {
        helps.add(
            "Check what holds the GPU's memory at that moment (nvidia-smi, rocm-smi); the message"
                + " does not say.");
      }
      return;
    }
    switch (verdict) {
      case IMPOSSIBLE -> impossible();
      case SPILLED -> spilled();
      case CAPPED -> capped();
      case NOT_ALLOCATOR -> notAllocator();
      case POOL -> pool();
      case FULL -> full(other);
      case FRAGMENTED -> fragmented(nearlyFull, largeOther, ownOther);
      case ELSEWHERE -> elsewhere(ownOther);
      case HOST, UNKNOWN ->
          helps.add(
              "Give the whole message: from \"out of memory\" to the hint at its end, as PyTorch"
                  + " printed it.");
    }
  }

  private void impossible() {
    helps.add(
        "Check the line that makes the request: a shape is larger than intended, an intermediate"
            + " (attention scores, one-hot, broadcast) is fully materialized, or the work must be"
            + " chunked.");
    cannotHelp.add(
        "Allocator settings, empty_cache(), ending other processes: the GPU is too small.");
  }

  private void spilled() {
    helps.add(LESS_MEMORY);
    helps.add(
        "On Windows, set \"CUDA - Sysmem Fallback Policy\" to \"Prefer No Sysmem Fallback\" in the"
            + " NVIDIA settings to get an early error instead of slow memory.");
    cannotHelp.add(
        "Settings against fragmentation: more is allocated than the GPU has, so fragmentation is"
            + " not the cause.");
  }

  private void capped() {
    Optional<ByteRange> capacity = message.bytes(Amount.CAPACITY);
    Optional<ByteRange> allocated = message.bytes(Amount.ALLOCATED);
    Optional<ByteRange> request = message.bytes(Amount.REQUEST);
    String raise =
        "Raise the limit: torch.cuda.set_per_process_memory_fraction(), or"
            + " per_process_memory_fraction in the settings (2.10 and later)";
    if (capacity.isPresent() && allocated.isPresent() && request.isPresent()) {
      double neededBytes =
          allocated.get().high()
              + message.cached().map(ByteRange::high).orElse(0.0)
              + request.get().high();
      double fraction = Math.ceil(1000 * neededBytes / capacity.get().low()) / 1000;
      raise +=
          String.format(
              Locale.ROOT,
              "; this request needs %s, a fraction of %.3f or more",
              describe(neededBytes),
              Math.min(1, fraction));
    }
    helps.add(raise + ".");
    if (leftOver != null && leftOver.value() >= 0) {
      settingsAgainstFragmentation();
    }
    helps.add(LESS_MEMORY);
    cannotHelp.add("Ending other processes: the limit counts this process only.");
    if (leftOver != null && leftOver.high() < 0) {
      cannotHelp.add(
          "Settings against fragmentation: the limit is too small even with perfect packing.");
    }
  }

  private void notAllocator() {
    helps.add(
        "Look for what else uses or limits memory: a process that held it at that moment (free"
            + " memory is read after the failure), a container, MIG or vGPU quota, the page file on"
            + " Windows and WSL, driver limits on integrated GPUs.");
    helps.add("Run again with no other process on the GPU and a current driver.");
    cannotHelp.add(
        "expandable_segments, max_split_size_mb, empty_cache(): PyTorch's cache is not the cause.");
  }

  private void pool() {
    helps.add(
        "Let CUDA graphs share one pool (torch.cuda.graph(..., pool=...), one graph_pool_handle()),"
            + " capture fewer sizes, or capture the largest first.");
    helps.add(
        "Delete unused graphs and memory pools, then call torch.cuda.empty_cache(): only then are"
            + " their segments released.");
    cannotHelp.add("Settings against fragmentation: the free blocks are in private pools.");
  }

  private void full(@Nullable ByteRange other) {
    double shortBytes = leftOver != null ? -leftOver.value() : beyondCapacityBytes();
    helps.add(LESS_MEMORY + " At least " + describe(shortBytes) + " less for this request.");
    helps.add("A GPU with at least " + describe(shortBytes) + " more.");
    if (other != null && other.value() > shortBytes) {
      helps.add(
          "Free some of the "
              + describe(other.value())
              + " held by other processes, the display or libraries, if that is more than a context"
              + " (0.3 to 0.8 GiB).");
    }
    cannotHelp.add(
        (message.hintVariable().isEmpty() && message.wording() != Wording.RESERVED_HINT
                ? "Settings against fragmentation"
                : "The setting that the message hints at (it prints the hint always)")
            + ": the cache holds only "
            + describe(cached())
            + ".");
    cannotHelp.add(emptyCacheBefore());
  }

  private void elsewhere(boolean ownOther) {
    othersFirst(ownOther);
    helps.add(LESS_MEMORY);
    cannotHelp.add("Settings against fragmentation: the missing memory is outside the allocator.");
  }

  private void othersFirst(boolean ownOther) {
    helps.add(
        ownOther
            ? "First the memory of this process outside PyTorch: fewer CUDA graphs, smaller NCCL"
                + " buffers and library workspaces."
            : "First the memory outside PyTorch: end other processes on the GPU, start fewer"
                + " ranks on it, shrink library workspaces.");
  }

  private void fragmented(boolean nearlyFull, boolean largeOther, boolean ownOther) {
    if (largeOther) {
      othersFirst(ownOther);
    }
    if (nearlyFull) {
      helps.add(
          LESS_MEMORY
              + " With so little headroom, reducing fragmentation helps only for a"
              + " while.");
    }
    if (message.wording() == Wording.CU_ASYNC) {
      helps.add(LESS_MEMORY);
      return;
    }
    if (message.wording() == Wording.ASYNC) {
      helps.add(
          "Use the native backend (drop backend:cudaMallocAsync), which releases unused segments"
              + " and retries before it fails; or call torch.cuda.empty_cache() between phases.");
      cannotHelp.add(
          "max_split_size_mb, expandable_segments, garbage_collection_threshold: cudaMallocAsync"
              + " ignores them.");
      return;
    }
    settingsAgainstFragmentation();
    helps.add(
        emptyCache()
            + " between phases (load, train, evaluate), when much is free; pad to a few lengths;"
            + " run the largest sizes first.");
    if (!nearlyFull) {
      helps.add(LESS_MEMORY);
    }
    cannotHelp.add(emptyCacheBefore());
    if (message.bytes(Amount.LIMIT).isEmpty()) {
      cannotHelp.add("garbage_collection_threshold: it has no effect without a memory fraction.");
    }
  }

  private void settingsAgainstFragmentation() {
    expandable();
    if (settings.isExpandable()) {
      if (settings.isSplitLimited()) {
        helps.add(
            "Remove max_split_size_mb: with expandable_segments:True it makes reserved memory grow"
                + " without bound.");
      }
      return;
    }
    splitLimit();
  }

  private void expandable() {
    if (settings.isExpandable() && !windows) {
      cannotHelp.add(
          "expandable_segments:True: it is on already ("
              + settings.origin()
              + "), despite the hint in the message; the cached memory is in partly used pages,"
              + " other streams or pools.");
      return;
    }
    if (windows) {
      cannotHelp.add(
          "expandable_segments: not supported on Windows (PyTorch warns once and leaves it off)"
              + (message.processesHidden() ? "; not reliable under WSL." : "."));
      return;
    }
    if (message.api().equals("NPU")) {
      helps.add(
          variable() + "=expandable_segments:True, if the torch_npu in use knows the setting.");
      return;
    }
    switch (message.wording()) {
      case CACHED, RESERVED, RESERVED_HINT ->
          helps.add(
              "PyTorch 2.1 or later with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True;"
                  + " this version does not know the setting.");
      default -> {
        helps.add(
            variable()
                + "=expandable_segments:True, set before the program starts; not with CUDA IPC"
                + " of older versions, nor if another memory pool is in use.");
        if (message.wording() == Wording.V2_9) {
          helps.add(
              "Not under the name PYTORCH_ALLOC_CONF that the message prints: PyTorch 2.9 ignores"
                  + " it for CUDA; PYTORCH_CUDA_ALLOC_CONF works in all versions.");
        }
      }
    }
  }

  private void splitLimit() {
    Optional<ByteRange> request = message.bytes(Amount.REQUEST);
    if (request.isEmpty() || request.get().value() <= SMALLEST_SPLIT_LIMIT_BYTES) {
      cannotHelp.add(
          "max_split_size_mb: the request is not larger than the smallest limit allowed (20 MiB).");
      return;
    }
    String caution = " It costs driver calls; never combine it with expandable_segments:True.";
    switch (message.wording()) {
      case CACHED, RESERVED ->
          helps.add("PyTorch 1.10 or later with max_split_size_mb below the request." + caution);
      default ->
          helps.add(
              ("%s=max_split_size_mb:N with N from 20 up to the request (%s), which keeps"
                      + " larger free blocks whole; a recorded snapshot shows which N.%s")
                  .formatted(variable(), message.text(Amount.REQUEST), caution));
    }
  }

  private String emptyCacheBefore() {
    return emptyCache()
        + " right before the request: PyTorch released every unused segment before it raised this"
        + " error.";
  }

  private String emptyCache() {
    return message.api().equals("NPU") ? "torch.npu.empty_cache()" : "torch.cuda.empty_cache()";
  }

  private String variable() {
    if (message.api().equals("NPU")) {
      return "PYTORCH_NPU_ALLOC_CONF";
    }
    return message.hintVariable().isEmpty() || message.hintVariable().equals("PYTORCH_ALLOC_CONF")
        ? (message.api().equals("HIP") ? "PYTORCH_HIP_ALLOC_CONF" : "PYTORCH_CUDA_ALLOC_CONF")
        : message.hintVariable();
  }

  /** By how much the request and what is allocated exceed the GPU, where the text says no more. */
  private double beyondCapacityBytes() {
    return message.bytes(Amount.ALLOCATED).orElseThrow().value()
        + message.bytes(Amount.REQUEST).orElseThrow().value()
        - message.bytes(Amount.CAPACITY).orElseThrow().value();
  }

  private double cached() {
    return message.cached().map(ByteRange::value).orElse(0.0);
  }
}
