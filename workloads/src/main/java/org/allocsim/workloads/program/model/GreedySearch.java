package org.allocsim.workloads.program.model;

import org.allocsim.workloads.program.torch.Bits;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.jspecify.annotations.Nullable;

/**
 * {@code model.generate} of transformers 5 without sampling, with a padding token and as many new
 * tokens asked for at least as at most.
 */
public final class GreedySearch {
  private final Torch torch;
  private final Bits bits;
  private final Llama model;
  private final long vocabulary;

  /** Searches with a model. */
  public GreedySearch(Torch torch, Llama model, long vocabulary) {
    this.torch = torch;
    this.model = model;
    this.vocabulary = vocabulary;
    bits = new Bits(torch);
  }

  /** What a loop keeps from one token to the next. */
  private static final class Step {
    private Tensor ids;
    private Tensor unfinished;
    private Tensor places;
    private Tensor attended;
    private @Nullable Tensor logits;
    private @Nullable Tensor scores;
    private @Nullable Tensor tokens;
    private @Nullable Tensor newIds;
    private @Nullable Tensor newPlaces;
    private @Nullable Tensor oldAttended;

    Step(Tensor ids, Tensor unfinished, Tensor places, Tensor attended) {
      this.ids = ids;
      this.unfinished = unfinished;
      this.places = places;
      this.attended = attended;
    }
  }

  /**
   * Answers a batch of prompts.
   *
   * @param masked whether a padding token is among the prompts' tokens
   */
  public void generate(Tensor prompts, int newTokens, boolean masked) {
    long batch = prompts.size(0);
    try (Llama.Cache cache = new Llama.Cache();
        Frame frame = new Frame()) {
      for (int special = 0; special < 3; special++) {
        frame.own(bits.make(DType.INT64));
      }
      checkSpecialTokens();
      if (batch > 1) {
        frame.own(endsInPadding(batch));
      }
      Tensor attended = frame.own(attentionMask(prompts));
      Tensor places = frame.own(places(attended));
      Step step =
          new Step(
              prompts.retain(), bits.make(DType.INT64, batch), places.retain(), attended.retain());
      Tensor input = bits.make(DType.INT64, batch, prompts.size(1));
      Tensor logits = model.scores(input, attended, masked, cache);
      input.release();
      grow(step);
      choose(step, logits);
      for (int token = 1; token < newTokens; token++) {
        logits = next(step, masked, cache);
        grow(step);
        choose(step, logits);
      }
      Tensor.releaseAll(
          step.attended,
          step.oldAttended,
          step.places,
          step.unfinished,
          step.newIds,
          step.newPlaces,
          step.logits,
          step.scores,
          step.tokens,
          step.ids);
    }
  }

  /** Whether padding and end are the same token. */
  private void checkSpecialTokens() {
    Tensor found = bits.isIn(1);
    Tensor any = bits.next(found, DType.BOOL);
    any.release();
    Tensor negative = bits.make(DType.BOOL, 1);
    Tensor last = bits.next(negative, DType.BOOL);
    last.release();
  }

  /** Whether a prompt ends in padding, which would be on the wrong side. */
  private Tensor endsInPadding(long batch) {
    Tensor isPadding = bits.make(DType.BOOL, batch);
    Tensor sum = bits.make(DType.INT64);
    bits.make(DType.INT64, batch).release();
    isPadding.release();
    Tensor answer = bits.make(DType.BOOL);
    Elementwise.toHost(torch, answer);
    sum.release();
    return answer;
  }

  /** {@code _prepare_attention_mask_for_generation}. */
  private Tensor attentionMask(Tensor prompts) {
    long[] sizes = prompts.sizes();
    try (Frame frame = new Frame()) {
      frame.own(bits.make(DType.INT64, sizes));
      Tensor found = bits.isIn(sizes);
      frame.own(bits.next(found, DType.BOOL));
      Tensor same = bits.isIn(1);
      Tensor any = bits.next(same, DType.BOOL);
      frame.own(bits.next(any, DType.BOOL));
      frame.own(bits.make(DType.BOOL));
      Tensor differs = bits.make(DType.BOOL, sizes);
      frame.own(bits.next(differs, DType.INT64, sizes));
      Tensor chosen = bits.make(DType.INT64, sizes);
      Tensor not = bits.make(DType.BOOL);
      Tensor otherwise = bits.next(not, DType.INT64, sizes);
      Tensor mask = bits.make(DType.INT64, sizes);
      chosen.release();
      otherwise.release();
      return mask;
    }
  }

  /** {@code attention_mask.cumsum(-1) - 1}, hidden tokens at the first place. */
  private Tensor places(Tensor attended) {
    long[] sizes = attended.sizes();
    Tensor sums = bits.make(DType.INT64, sizes);
    if (sizes[0] == 1) {
      torch.device().kernel(0, sums.bytes(), sums.type().precision());
      bits.scanScratch(sizes[1]);
    }
    Tensor places = bits.next(sums, DType.INT64, sizes);
    Tensor isHidden = bits.make(DType.BOOL, sizes);
    Tensor filled = bits.make(DType.INT64, sizes);
    isHidden.release();
    places.release();
    return filled;
  }

  /** {@code _update_model_kwargs_for_generation}: one more place, one more token that is seen. */
  private void grow(Step step) {
    long batch = step.places.size(0);
    long length = step.places.size(1) + 1;
    Tensor one = bits.make(DType.INT64, 1);
    Tensor following = bits.next(one, DType.INT64, batch, 1);
    Tensor copied = bits.next(following, DType.INT64, batch, 1);
    Tensor places = bits.make(DType.INT64, batch, length);
    copied.release();
    Tensor seen = bits.make(DType.INT64, batch, 1);
    Tensor attended = bits.make(DType.INT64, batch, length);
    seen.release();
    step.places = Tensor.replaced(step.places, places);
    step.oldAttended = step.attended;
    step.attended = attended;
  }

  /** The best token of each prompt and whether all answers are complete. */
  private void choose(Step step, Tensor scores) {
    long batch = scores.size(0);
    step.logits = Tensor.replaced(step.logits, bits.make(DType.FLOAT32, batch, vocabulary));
    Tensor first = withoutEnd(batch, true);
    Tensor second = withoutEnd(batch, false);
    first.release();
    step.scores = Tensor.replaced(step.scores, second);
    Tensor best = bits.make(DType.INT64, batch);
    Tensor.releaseAll(step.tokens);
    Tensor kept = bits.make(DType.INT64, batch);
    Tensor rest = bits.make(DType.INT64, batch);
    Tensor padding = bits.next(rest, DType.INT64, batch);
    step.tokens = bits.make(DType.INT64, batch);
    kept.release();
    padding.release();
    best.release();
    step.ids = Tensor.replaced(step.ids, bits.make(DType.INT64, batch, step.ids.size(1) + 1));
    checkEnd(step, batch);
    scores.release();
  }

  /** A processor that forbids the end of an answer before its minimum length. */
  private Tensor withoutEnd(long batch, boolean vocabularyFirst) {
    try (Frame frame = new Frame()) {
      if (vocabularyFirst) {
        frame.own(bits.make(DType.INT64, vocabulary));
        frame.own(bits.isIn(vocabulary));
        frame.own(bits.make(DType.FLOAT32, batch, vocabulary));
      } else {
        frame.own(bits.make(DType.FLOAT32, batch, vocabulary));
        frame.own(bits.make(DType.INT64, vocabulary));
        frame.own(bits.isIn(vocabulary));
      }
      Tensor infinity = bits.make(DType.FLOAT32);
      Tensor scores = bits.make(DType.FLOAT32, batch, vocabulary);
      infinity.release();
      return scores;
    }
  }

  private void checkEnd(Step step, long batch) {
    Tensor done = bits.make(DType.BOOL, batch);
    Tensor longest = bits.make(DType.BOOL, batch);
    Tensor either = bits.make(DType.BOOL, batch);
    longest.release();
    done.release();
    Tensor end = bits.isIn(batch);
    Tensor ended = bits.next(end, DType.BOOL, batch);
    Tensor all = bits.next(ended, DType.BOOL, batch);
    either.release();
    Tensor open = bits.next(all, DType.BOOL, batch);
    Tensor unfinished = bits.make(DType.INT64, batch);
    open.release();
    step.unfinished = Tensor.replaced(step.unfinished, unfinished);
    Tensor most = bits.make(DType.INT64);
    Tensor none = bits.make(DType.BOOL);
    Elementwise.toHost(torch, none);
    most.release();
    none.release();
  }

  private Tensor next(Step step, boolean masked, Llama.Cache cache) {
    long batch = step.ids.size(0);
    Tensor ids = bits.make(DType.INT64, batch, 1);
    Tensor places = bits.make(DType.INT64, batch, 1);
    step.newIds = Tensor.replaced(step.newIds, ids);
    step.newPlaces = Tensor.replaced(step.newPlaces, places);
    Tensor.releaseAll(step.oldAttended);
    step.oldAttended = null;
    return model.scores(ids, step.attended, masked, cache);
  }
}
