package org.allocsim.analysis.oom;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What an out-of-memory message says.
 *
 * @param wording whose text it is
 * @param api {@code CUDA}, {@code HIP}, {@code XPU}, {@code NPU} or {@code MPS}; "" where the text
 *     does not say
 * @param deviceIndex number of the GPU, −1 where the text does not say
 * @param amounts the printed sizes; what the text lacks, or prints as 2^64 for "not known", is
 *     absent
 * @param processes processes that the driver lists on the GPU, other than the failing one
 * @param processesHidden whether the driver listed processes and hid their sizes, as it does on
 *     Windows and WSL
 * @param hintVariable environment variable that the text recommends, "" where it names none
 */
public record OomMessage(
    Wording wording,
    String api,
    int deviceIndex,
    Map<Amount, PrintedSize> amounts,
    List<ProcessUse> processes,
    boolean processesHidden,
    String hintVariable) {

  /** Sizes that a message can print. */
  public enum Amount {
    /** Size of the segment that was wanted. */
    REQUEST("request"),
    /** Size of the GPU. */
    CAPACITY("capacity"),
    /** Free bytes of the GPU according to the driver. */
    FREE("free"),
    /** Allocated by PyTorch; since 2.4 including the free blocks of private pools. */
    ALLOCATED("allocated"),
    /** Reserved by PyTorch and not allocated. */
    CACHED("cached"),
    /** Reserved by PyTorch in total. */
    RESERVED("reserved"),
    /** The allocator's own limit. */
    LIMIT("limit"),
    /** Allocated by others, where the limit counts them, too. */
    OTHER_ALLOCATIONS("other_allocations"),
    /** Free blocks inside private pools, although the text calls them allocated. */
    PRIVATE_POOLS("private_pools"),
    /** All memory of the failing process according to the driver. */
    THIS_PROCESS("this_process");

    private final String key;

    Amount(String key) {
      this.key = key;
    }

    /** Name in JSON and in sentences about missing amounts. */
    public String key() {
      return key;
    }
  }

  /**
   * A process on the GPU.
   *
   * @param pid process id in the driver's name space
   * @param size memory of the process on this GPU
   */
  public record ProcessUse(long pid, PrintedSize size) {}

  /** Takes copies. */
  public OomMessage {
    amounts =
        Collections.unmodifiableMap(
            amounts.isEmpty() ? new EnumMap<>(Amount.class) : new EnumMap<>(amounts));
    processes = List.copyOf(processes);
  }

  /** The same message with the allocator's limit, which old releases do not print. */
  public OomMessage withLimit(long bytes) {
    return with(
        Map.of(
            Amount.LIMIT,
            new PrintedSize(PrintedSize.describe(bytes), new ByteRange(bytes, bytes, bytes))));
  }

  /** The same message with sizes that it lacks itself. */
  OomMessage with(Map<Amount, PrintedSize> more) {
    Map<Amount, PrintedSize> all = new EnumMap<>(Amount.class);
    all.putAll(more);
    all.putAll(amounts);
    return new OomMessage(wording, api, deviceIndex, all, processes, processesHidden, hintVariable);
  }

  /** The same message with one of its processes as the failing one. */
  OomMessage withOwn(ProcessUse own) {
    List<ProcessUse> others = processes.stream().filter(each -> !each.equals(own)).toList();
    return new OomMessage(wording, api, deviceIndex, amounts, others, processesHidden, hintVariable)
        .with(Map.of(Amount.THIS_PROCESS, own.size()));
  }

  /** The bytes that a printed size stands for. */
  public Optional<ByteRange> bytes(Amount amount) {
    return Optional.ofNullable(amounts.get(amount)).map(PrintedSize::bytes);
  }

  /** A size as it is printed; the message has it. */
  String text(Amount amount) {
    return Objects.requireNonNull(amounts.get(amount), amount.key()).text();
  }

  /** Reserved and not allocated, printed or as the difference of two printed sizes. */
  public Optional<ByteRange> cached() {
    Optional<ByteRange> printed = bytes(Amount.CACHED);
    if (printed.isPresent()) {
      return printed;
    }
    Optional<ByteRange> reserved = bytes(Amount.RESERVED);
    return bytes(Amount.ALLOCATED)
        .flatMap(allocated -> reserved.map(total -> atLeastZero(total.minus(allocated))));
  }

  /** Whether the text says what failed, so that there is something to explain. */
  public boolean hasNumbers() {
    return amounts.containsKey(Amount.REQUEST)
        || wording.verdict() != null
        || wording == Wording.MPS && amounts.containsKey(Amount.LIMIT)
        || amounts.containsKey(Amount.CAPACITY) && amounts.containsKey(Amount.FREE);
  }

  /** The same amount where it is positive, else 0. */
  static ByteRange atLeastZero(ByteRange range) {
    return new ByteRange(
        Math.max(0, range.low()), Math.max(0, range.value()), Math.max(0, range.high()));
  }
}
