package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectRows;

/** Writes effects in short form: {@code SA(S1,2M) A(S1,1)}, {@code OOM(50M)}. */
final class EffectText extends EffectRows {
  private final List<String> effects = new ArrayList<>();

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    String size = ScriptedDevice.size(bytes);
    effects.add(
        kind == EffectKind.OOM
            ? "OOM(" + size + ")"
            : name(kind) + "(" + ScriptedDevice.name(address) + "," + size + ")");
  }

  @Override
  public void requestRejected(int allocation, long requestedBytes, String reason) {
    effects.add("REJECTED(" + reason + ")");
  }

  /** The effects since the last call. */
  String take() {
    String text = String.join(" ", effects);
    effects.clear();
    return text;
  }

  private static String name(EffectKind kind) {
    return switch (kind) {
      case ALLOC -> "A";
      case FREE_REQUESTED -> "FR";
      case FREE_COMPLETED -> "FC";
      case SEGMENT_ALLOC -> "SA";
      case SEGMENT_FREE -> "SF";
      case SEGMENT_MAP -> "MAP";
      case SEGMENT_UNMAP -> "UNMAP";
      case OOM -> "OOM";
      case SNAPSHOT -> "SNAPSHOT";
    };
  }
}
