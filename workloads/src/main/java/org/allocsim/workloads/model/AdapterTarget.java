package org.allocsim.workloads.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.allocsim.simulator.typed.SimilarName;

/**
 * A module of a model that a server can give low-rank adapters. Modules that a server joins get
 * them together, whichever is named.
 *
 * <p><b>Source.</b> vLLM's {@code --lora-target-modules}, and {@code packed_modules_mapping} of its
 * {@code model_executor/models/llama.py}.
 */
public enum AdapterTarget {
  /** Queries, keys and values. */
  QUERIES("qkv_proj", "q_proj", "k_proj", "v_proj"),
  /** What is attended. */
  ATTENDED("o_proj"),
  /** Gate and input of the feed-forward part. */
  UP("gate_up_proj", "gate_proj", "up_proj", "experts"),
  /** Output of the feed-forward part. */
  DOWN("down_proj", "experts"),
  /** Tokens' vectors. */
  EMBEDDING("embed_tokens"),
  /** Logits. */
  OUTPUT("lm_head");

  private final List<String> names;

  AdapterTarget(String... names) {
    this.names = List.of(names);
  }

  /** All of them. */
  public static Set<AdapterTarget> all() {
    return EnumSet.allOf(AdapterTarget.class);
  }

  /**
   * The modules that names stand for.
   *
   * @throws IllegalArgumentException for an unknown name, with the known ones
   */
  public static Set<AdapterTarget> named(List<String> names) {
    Set<AdapterTarget> found = EnumSet.noneOf(AdapterTarget.class);
    for (String name : names) {
      List<AdapterTarget> alike =
          Arrays.stream(values()).filter(each -> each.names.contains(name)).toList();
      if (alike.isEmpty()) {
        throw new IllegalArgumentException(
            "unknown module '%s'; %s"
                .formatted(
                    name,
                    SimilarName.remedy(name, known(), "known are " + String.join(", ", known()))));
      }
      found.addAll(alike);
    }
    return found;
  }

  private static List<String> known() {
    return Arrays.stream(values()).flatMap(each -> each.names.stream()).distinct().toList();
  }
}
