package org.allocsim.workloads.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Low-rank adapters (LoRA) for which a server has room, whether they are loaded or not.
 *
 * <p><b>Rules.</b> Each linear layer has both factors of each part that it joins, for each slot and
 * expert, at the highest rank. Where GPUs share a layer, the first factor of what is split by its
 * outputs is there whole on each of them, as is the second of what is split by its inputs. Where
 * the family allows it, embedding and output have factors too, for the whole vocabulary on each
 * GPU.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code lora/layers/base_linear.py}, {@code
 * column_parallel_linear.py}, {@code fused_moe.py}, {@code vocal_parallel_embedding.py}, {@code
 * logits_processor.py}.
 *
 * <p><b>Deviations.</b> Adapters of routers, some thousand numbers a layer, are left out.
 *
 * @param slots adapters that may run together ({@code max_loras})
 * @param rank the highest rank ({@code max_lora_rank})
 * @param targets modules that get them
 */
public record Adapters(int slots, int rank, Set<AdapterTarget> targets) {
  /** Keeps its own copy. */
  public Adapters {
    targets = Set.copyOf(targets);
  }

  /** Numbers in each of the tensors that a linear layer has for them; none where it has none. */
  public List<Long> counts(LinearShape linear) {
    List<Long> counts = new ArrayList<>();
    if (targets.contains(linear.target())) {
      long each = (long) slots * rank * linear.experts();
      linear.parts().forEach(_ -> counts.add(each * linear.inputs()));
      linear.parts().forEach(part -> counts.add(each * part));
    }
    return counts;
  }

  /** Numbers in each of the tensors for embedding and output, in this order. */
  public List<Long> vocabularyCounts(ModelShape model) {
    List<Long> counts = new ArrayList<>();
    long each = (long) slots * rank;
    if (model.adaptsVocabulary() && targets.contains(AdapterTarget.EMBEDDING)) {
      counts.addAll(List.of(each * model.vocabulary(), each * model.hidden()));
    }
    if (model.adaptsVocabulary() && targets.contains(AdapterTarget.OUTPUT)) {
      counts.addAll(List.of(each * model.hidden(), each * model.vocabulary()));
    }
    return counts;
  }

  /**
   * Numbers in all of them.
   *
   * @param gpus GPUs that share each layer; what one of them has
   */
  public long parameters(ModelShape model, int gpus) {
    LongStream linears =
        model.linears(gpus).stream()
            .flatMap(linear -> counts(linear).stream())
            .mapToLong(count -> count * model.layers());
    LongStream vocabulary = vocabularyCounts(model).stream().mapToLong(Long::longValue);
    return LongStream.concat(linears, vocabulary).sum();
  }
}
