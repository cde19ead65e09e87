package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.analysis.oom.OomMessage.ProcessUse;

/**
 * The memory of a GPU, part by part, in hundredths of one unit, so that the printed parts sum to
 * the printed whole.
 *
 * @param unit {@code GiB}, or {@code MiB} for small GPUs
 * @param parts the parts; those that belong to another part are not counted in the sum
 * @param totalHundredths the GPU
 */
public record GpuAccount(String unit, List<Part> parts, long totalHundredths) {
  private static final double SMALL_GPU_BYTES = 2 * 0x1p30;

  /**
   * A part of the GPU.
   *
   * @param name what it is
   * @param hundredths its size, negative where the message contradicts itself
   * @param within whether it is a part of the part before it, and not counted again
   * @param printed how the message prints it, "" where it follows from the other parts
   */
  public record Part(String name, long hundredths, boolean within, String printed) {}

  /** Takes a copy. */
  public GpuAccount {
    parts = List.copyOf(parts);
  }

  /** A number of this account with two decimals, without the unit. */
  public static String text(long hundredths) {
    return String.format(
        Locale.ROOT,
        "%s%d.%02d",
        hundredths < 0 ? "-" : "",
        Math.abs(hundredths) / 100,
        Math.abs(hundredths) % 100);
  }

  /** The account of a message, empty where it does not print all that is needed. */
  static Optional<GpuAccount> of(OomMessage message) {
    Optional<ByteRange> capacity = message.bytes(Amount.CAPACITY);
    Optional<ByteRange> free = message.bytes(Amount.FREE);
    Optional<ByteRange> allocated = message.bytes(Amount.ALLOCATED);
    if (capacity.isEmpty() || free.isEmpty() || allocated.isEmpty()) {
      return Optional.empty();
    }
    boolean small = capacity.get().value() < SMALL_GPU_BYTES;
    return Optional.of(
        new Builder(message, small ? 0x1p20 : 0x1p30)
            .build(small ? "MiB" : "GiB", capacity.get(), free.get(), allocated.get()));
  }

  private static final class Builder {
    private final OomMessage message;
    private final double unitBytes;
    private final String owner;
    private final List<Part> parts = new ArrayList<>();

    Builder(OomMessage message, double unitBytes) {
      this.message = message;
      this.unitBytes = unitBytes;
      owner = message.wording().owner();
    }

    GpuAccount build(String unit, ByteRange capacity, ByteRange free, ByteRange allocated) {
      Optional<ByteRange> pools = message.bytes(Amount.PRIVATE_POOLS);
      Optional<ByteRange> cached = message.cached();
      if (pools.isPresent()) {
        long inPools = hundredths(pools.get());
        String printed = printed(Amount.ALLOCATED) + " - " + printed(Amount.PRIVATE_POOLS);
        add("allocated by " + owner, hundredths(allocated) - inPools, printed);
        add("free inside private pools", inPools, printed(Amount.PRIVATE_POOLS));
      } else {
        add("allocated by " + owner, hundredths(allocated), printed(Amount.ALLOCATED));
      }
      cached.ifPresent(range ->
          add(
              "cached by " + owner + ", not in use",
              hundredths(range),
              message.amounts().containsKey(Amount.CACHED)
                  ? printed(Amount.CACHED)
                  : printed(Amount.RESERVED) + " - " + printed(Amount.ALLOCATED)));
      long total = hundredths(capacity);
      long rest = total - parts.stream().mapToLong(Part::hundredths).sum() - hundredths(free);
      if (allocated.value() > capacity.value()) {
        add("not on the GPU (system RAM)", rest, "");
      } else if (cached.isEmpty()) {
        add("cached by " + owner + ", and other", rest, "");
      } else {
        add("other (context, processes, driver)", rest, "");
        split(rest, allocated.plus(cached.get()));
      }
      add("free", hundredths(free), printed(Amount.FREE));
      return new GpuAccount(unit, parts, total);
    }

    /** Splits what is not PyTorch's with the processes that the driver listed. */
    private void split(long rest, ByteRange reserved) {
      Optional<ByteRange> own = message.bytes(Amount.THIS_PROCESS);
      if (own.isEmpty() || rest < 0) {
        return;
      }
      long context = hundredths(own.get()) - hundredths(reserved);
      long others =
          message.processes().stream()
              .map(ProcessUse::size)
              .mapToLong(size -> hundredths(size.bytes()))
              .sum();
      long unexplained = rest - context - others;
      // Every size carries a rounding of its own; beyond that the list is of another moment.
      if (context < -2 || unexplained < -4 - message.processes().size()) {
        return;
      }
      within("this process outside " + owner, context, printed(Amount.THIS_PROCESS) + " in all");
      int count = message.processes().size();
      if (count > 0) {
        within(count == 1 ? "another process" : count + " other processes", others, "");
      }
      within("neither", unexplained, "");
    }

    private void add(String name, long hundredths, String printed) {
      parts.add(new Part(name, hundredths, false, printed));
    }

    private void within(String name, long hundredths, String printed) {
      parts.add(new Part(name, hundredths, true, printed));
    }

    private String printed(Amount amount) {
      return message.text(amount);
    }

    private long hundredths(ByteRange range) {
      return Math.round(100 * range.value() / unitBytes);
    }
  }
}
