package org.allocsim.simulator.policy.bfc;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link OrtArena}s; the options have the names of {@code OrtArenaCfg} with hyphens. */
public final class OrtArenaProvider extends OptionsProvider {
  private static final String STRATEGY = "arena-extend-strategy";
  private static final String FIRST_REGION = "initial-chunk-size-bytes";
  private static final String MAX_WASTE = "max-dead-bytes-per-chunk";
  private static final String AFTER_SHRINK = "initial-growth-chunk-size-bytes";
  private static final String MAX_DOUBLED = "max-power-of-two-extend-bytes";
  private static final String STREAMS = "streams";
  private static final String TAKES_OVER = "takes-over";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "ort-arena",
          "ONNX Runtime's BFC arena",
          "microsoft/onnxruntime, onnxruntime/core/framework/bfc_arena.cc, 009aae1; limit of"
              + " doubling as in the CUDA plugin's arena; source read, driven without streams",
          List.of(
              new PolicySpec.Option(
                  STRATEGY,
                  "kNextPowerOfTwo",
                  "",
                  "kNextPowerOfTwo: regions double; kSameAsRequested: each is as large as its"
                      + " request; also 0 and 1"),
              new PolicySpec.Option(
                  FIRST_REGION, "1MiB", "bytes", "size of the first region if regions double"),
              new PolicySpec.Option(
                  MAX_WASTE,
                  "128MiB",
                  "bytes",
                  "remainders of at least this size are always" + " split off"),
              new PolicySpec.Option(
                  AFTER_SHRINK, "2MiB", "bytes", "size of the first region after shrinking"),
              new PolicySpec.Option(
                  MAX_DOUBLED, "1GiB", "bytes", "size above which regions no longer double"),
              new PolicySpec.Option(
                  STREAMS,
                  "false",
                  "",
                  "whether chunks belong to streams, as in the stream-aware arena"),
              new PolicySpec.Option(
                  TAKES_OVER,
                  "false",
                  "",
                  "whether every request takes over its chunk for its stream, as releases of"
                      + " 2026 do")));

  /** A provider; the service loader makes it. */
  public OrtArenaProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    long limit = limitBytes < 0 ? ChunkHeap.MAX_BYTES : limitBytes;
    return new OrtArena(
        new OrtSettings(
            limit,
            strategy(options),
            size(options, FIRST_REGION),
            size(options, MAX_WASTE),
            size(options, AFTER_SHRINK),
            size(options, MAX_DOUBLED),
            options.flag(STREAMS),
            options.flag(TAKES_OVER)),
        device,
        listener);
  }

  private static OrtSettings.Strategy strategy(PolicyOptions options) throws PolicyOptionException {
    return switch (options.text(STRATEGY).strip()) {
      case "kNextPowerOfTwo", "0" -> OrtSettings.Strategy.NEXT_POWER_OF_TWO;
      case "kSameAsRequested", "1" -> OrtSettings.Strategy.SAME_AS_REQUESTED;
      default -> throw options.wrong(STRATEGY, "kNextPowerOfTwo or kSameAsRequested");
    };
  }

  private static long size(PolicyOptions options, String name) throws PolicyOptionException {
    long bytes = options.bytes(name, 1);
    if (bytes > ChunkHeap.MAX_BYTES) {
      throw options.wrong(name, "at most 2^61 bytes; write a smaller size");
    }
    return bytes;
  }
}
