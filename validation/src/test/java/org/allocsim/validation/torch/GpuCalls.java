package org.allocsim.validation.torch;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/**
 * Random sequences of calls for a real GPU. Its memory is not theirs to fill, so what was the size
 * of the device is the limit of the allocator.
 */
final class GpuCalls {
  /** Memory of an H200, for which the sequences are made. */
  static final long GPU_BYTES = 150_109_880_320L;

  /** What only the driver knows: free memory, and that of other processes. */
  private static final Pattern DRIVERS_OWN =
      Pattern.compile(" of which .*? is free\\.( (Process|Including).*? memory in use\\.)*");

  private GpuCalls() {}

  /** Writes sequences for {@code validation/gpu-calls/run.sh}: their number, and the file. */
  public static void main(String[] arguments) throws IOException {
    try (Writer out =
        new OutputStreamWriter(
            new XZOutputStream(Files.newOutputStream(Path.of(arguments[1])), new LZMA2Options(9)),
            StandardCharsets.US_ASCII)) {
      for (int id = 0; id < Integer.parseInt(arguments[0]); id++) {
        StringBuilder text = new StringBuilder();
        sequence(id).appendTo(text);
        out.append(text);
      }
    }
  }

  /** A sequence by its number, which is its seed, too. */
  static CallSequence sequence(int id) {
    CallSequence made = RandomCalls.sequence(id, id);
    double share = Double.isNaN(made.fraction()) ? 1 : made.fraction();
    return new CallSequence(
        id,
        made.kind(),
        made.confs().stream().map(GpuCalls::known).toList(),
        GPU_BYTES,
        share * made.capacityBytes() / GPU_BYTES,
        0,
        made.streams(),
        made.calls());
  }

  /** Settings that 2.11 has. */
  private static String known(String conf) {
    return Stream.of(conf.split(","))
        .filter(setting -> !setting.startsWith("throw_on_cudamalloc_oom"))
        .collect(Collectors.joining(","));
  }

  /** An outcome without what only the driver knows. */
  static CallOutcome comparable(CallOutcome outcome) {
    EffectLog events = new EffectLog();
    for (int row = 0; row < outcome.events().count(); row++) {
      EffectKind kind = outcome.events().kind(row);
      events.add(
          kind,
          kind == EffectKind.OOM ? 0 : outcome.events().address(row),
          outcome.events().bytes(row),
          outcome.events().stream(row));
    }
    return new CallOutcome(
        events,
        outcome.statistics(),
        outcome.messages().stream().map(text -> DRIVERS_OWN.matcher(text).replaceAll("")).toList(),
        outcome.stopped());
  }

  /** A device that never refuses and places memory where the GPU's driver did. */
  static DeviceMemory device(Path placed) throws IOException {
    List<String> lines = Files.readAllLines(placed);
    return new PlacedDevice(addresses(lines.getFirst()), addresses(lines.getLast()));
  }

  private static Iterator<Long> addresses(String line) {
    return Stream.of(line.split(" "))
        .filter(word -> !word.isEmpty())
        .map(word -> Long.parseLong(word.toLowerCase(Locale.ROOT), 16))
        .iterator();
  }

  private record PlacedDevice(Iterator<Long> blocks, Iterator<Long> ranges)
      implements DeviceMemory {
    @Override
    public long allocate(long bytes) {
      return blocks.hasNext() ? blocks.next() : REFUSED;
    }

    @Override
    public void free(long address, long bytes) {}

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      return ranges.hasNext() ? ranges.next() : REFUSED;
    }

    @Override
    public void unreserve(long address, long bytes) {}

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      return true;
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {}

    @Override
    public long freeBytes() {
      return 0;
    }

    @Override
    public long totalBytes() {
      return GPU_BYTES;
    }
  }
}
