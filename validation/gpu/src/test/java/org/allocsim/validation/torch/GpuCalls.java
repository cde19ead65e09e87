package org.allocsim.validation.torch;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  /** What only the driver knows: free memory, and that of other processes. */
  private static final Pattern DRIVERS_OWN =
      Pattern.compile(" of which .*? is free\\.( (Process|Including).*? memory in use\\.)*");

  private GpuCalls() {}

  /**
   * Writes sequences for {@code validation/gpu-calls/run.sh}: how many, the bytes of the GPU, and
   * the file.
   */
  public static void main(String[] arguments) throws IOException {
    try (Writer out =
        new OutputStreamWriter(
            new XZOutputStream(Files.newOutputStream(Path.of(arguments[2])), new LZMA2Options(9)),
            StandardCharsets.US_ASCII)) {
      int left = Integer.parseInt(arguments[0]);
      for (int id = 0; left > 0; id++) {
        CallSequence sequence = sequence(id, Long.parseLong(arguments[1]));
        // 2.11 fills tensors of its own before a capture.
        if (!sequence.kind().startsWith("captures")) {
          StringBuilder text = new StringBuilder();
          sequence.appendTo(text);
          out.append(text);
          left--;
        }
      }
    }
  }

  /** A sequence for a GPU of so many bytes by its number, which is its seed, too. */
  static CallSequence sequence(int id, long gpuBytes) {
    CallSequence made = RandomCalls.sequence(id, id);
    double share = Double.isNaN(made.fraction()) ? 1 : made.fraction();
    return new CallSequence(
        id,
        made.kind(),
        made.confs().stream().map(GpuCalls::known).toList(),
        gpuBytes,
        share * made.capacityBytes() / gpuBytes,
        0,
        made.streams(),
        calls(made.calls(), (double) made.capacityBytes() / gpuBytes));
  }

  /**
   * The calls with limits that are this share of the GPU. 2.11 ends the process where a pool is
   * given up while requests are routed to another, so that is left out.
   */
  private static List<AllocatorCall> calls(List<AllocatorCall> made, double share) {
    List<AllocatorCall> calls = new ArrayList<>();
    int routes = 0;
    for (AllocatorCall call : made) {
      switch (call.kind()) {
        case BEGIN_POOL -> routes++;
        case END_POOL -> routes--;
        default -> {}
      }
      if (call.kind() == AllocatorCall.Kind.SET_FRACTION) {
        calls.add(new AllocatorCall(call.kind(), call.id(), Math.round(call.bytes() * share), 0));
      } else if (call.kind() != AllocatorCall.Kind.RELEASE_POOL || routes == 0) {
        calls.add(call);
      }
    }
    return calls;
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
  static DeviceMemory device(Path placed, long gpuBytes) throws IOException {
    List<String> lines = Files.readAllLines(placed);
    return new PlacedDevice(addresses(lines.getFirst()), addresses(lines.getLast()), gpuBytes);
  }

  private static Iterator<Long> addresses(String line) {
    return Stream.of(line.split(" "))
        .filter(word -> !word.isEmpty())
        .map(word -> Long.parseLong(word.toLowerCase(Locale.ROOT), 16))
        .iterator();
  }

  private record PlacedDevice(Iterator<Long> blocks, Iterator<Long> ranges, long totalBytes)
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
  }
}
