package org.allocsim.analysis.serving;

import java.util.Comparator;
import java.util.stream.IntStream;
import org.allocsim.analysis.serving.kvcache.CacheLayout;
import org.allocsim.analysis.serving.kvcache.SequenceStart;
import org.allocsim.analysis.serving.kvcache.radix.RadixCache;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.model.ServedModel;

/**
 * SGLang's engine: steps that compute prompts come before steps that each compute a token of all
 * answers.
 *
 * <p><b>Rules.</b> Sequences begin first come first served, as long as a step has tokens left and
 * the pool has room for the prompt, the longest answer (of which at most 4096 tokens count) and a
 * page; what the running ones may still need, times {@link NewTokenRatio}, is not counted as room.
 * A prompt that is longer than what is left of a step is cut into parts, one prompt at a time.
 * Where a step of decoding finds no room, sequences are thrown out until there is: the one with the
 * shortest answer so far first, of several such the one with the longest prompt; they wait behind
 * all others. Once one was refused for lack of room, none begins before another has ended.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code managers/scheduler.py}, {@code
 * managers/schedule_policy.py} and {@code managers/schedule_batch.py} (August 2026).
 *
 * <p><b>Deviations.</b> The longest answer is the one of the file: a request's own limit is not
 * known. Results are there before the next step is planned; the product overlaps both. Prompts that
 * leave no room for a page beside their answer are refused.
 */
final class SglangEngine implements Engine {
  /** Tokens of prompts that a step computes at most ({@code --max-prefill-tokens}). */
  private static final int MOST_PREFILL_TOKENS = 16_384;

  /** {@code SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION}. */
  private static final int MOST_NEW_TOKENS = 4096;

  private static final int NONE = -1;

  private final Traffic traffic;
  private final ServedModel model;
  private final ServingSettings settings;
  private final RadixCache cache;
  private final StepTime stepTime;
  private final NewTokenRatio ratio;
  private final int pageTokens;
  private final int mostTokens;
  private final boolean hasWindows;

  private final ServingLedger ledger;

  /** Rows of the sequences that decode; NONE for those that ended in the last step. */
  private final int[] running;

  private int runningCount;

  /** Whether no sequence may begin before one has ended. */
  private boolean isFull;

  /** The row whose prompt is computed in parts. */
  private int chunked = NONE;

  /** Rows of the last step that computed prompts, the tokens of each, and what it held. */
  private final int[] batch;

  private final int[] batchTokens;
  private final int[] batchStored;
  private final int[] batchHeld;
  private int batchCount;
  private boolean wasPrefill;

  /** By row: request, tokens known, tokens computed, tokens of the answer, and at most. */
  private final int[] requestOf;

  private final int[] known;
  private final int[] computed;
  private final int[] generated;
  private final int[] limit;
  private final boolean[] isNew;
  private final RequestHashes[] hashes;
  private final IntQueue freeRows = new IntQueue();

  /** What a step may still take: all that is promised, what it takes itself, tokens of prompts. */
  private double promisedTokens;

  private long takenTokens;
  private int inputLeft;
  private int chunkLeft;

  private long storedTokens;

  SglangEngine(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheChoice choice,
      long cacheBytes) {
    CacheKind.refuseStates(model.groups());
    this.traffic = traffic;
    this.model = model;
    this.settings = settings;
    pageTokens = settings.sglang().pageTokens();
    cache = new RadixCache(model.groups(), cacheBytes, pageTokens, settings.sglang().eviction());
    stepTime = new StepTime(device, model, model.weightBytes() + model.adapterBytes());
    ratio = new NewTokenRatio(settings.sglang().conservativeness());
    mostTokens = Math.min(settings.mostTokens(), cache.mostTokens(settings.stepTokens()));
    ledger = new ServingLedger(traffic, choice, new CacheUse(cache), mostTokens);
    hasWindows = model.groups().stream().anyMatch(group -> group.windowTokens() > 0);
    int rows = settings.mostSequences();
    running = new int[rows];
    batch = new int[rows];
    batchTokens = new int[rows];
    batchStored = new int[rows];
    batchHeld = new int[rows];
    requestOf = new int[rows];
    known = new int[rows];
    computed = new int[rows];
    generated = new int[rows];
    limit = new int[rows];
    isNew = new boolean[rows];
    hashes = new RequestHashes[rows];
    for (int row = 0; row < rows; row++) {
      hashes[row] = new RequestHashes(traffic, pageTokens);
      freeRows.add(row);
    }
  }

  @Override
  public CacheLayout layout() {
    return cache.layout();
  }

  @Override
  public ServingResult run(Progress progress) {
    long mostWork = ServingWork.most(traffic, settings.blockTokens(), mostTokens, 1);
    while (!EarlyEnd.isAsked()) {
      ledger.goOn(progress, mostWork);
      if (!step()) {
        ratio.reset();
        if (ledger.isOver()) {
          break;
        }
        if (ledger.waiting.isEmpty()) {
          ledger.idle();
        }
      }
    }
    return ledger.result(new ServingResult.Driver(0, 0, 0, 0));
  }

  /** Makes a step; answers whether there was anything to do. */
  private boolean step() {
    if (chunked != NONE) {
      cache.share(chunked, true);
    }
    if (wasPrefill) {
      merge();
    }
    wasPrefill = plan();
    if (wasPrefill) {
      prefill();
      return true;
    }
    boolean hadRows = runningCount > 0;
    return decode() || hadRows;
  }

  /** Sequences whose prompts are computed go on with their answers. */
  private void merge() {
    int left = 0;
    for (int place = 0; place < batchCount; place++) {
      if (batch[place] != NONE && batch[place] != chunked) {
        batch[left++] = batch[place];
      }
    }
    isFull &= left == batchCount && runningCount > 0;
    System.arraycopy(batch, 0, running, runningCount, left);
    runningCount += left;
  }

  /** Chooses the prompts of a step; answers whether there are any. */
  private boolean plan() {
    batchCount = 0;
    if ((isFull || ledger.waiting.isEmpty()) && chunked == NONE) {
      return false;
    }
    int places = Math.min(running.length - runningCount, freeRows.size());
    if (places <= 0 && chunked == NONE) {
      isFull = true;
      return false;
    }
    promisedTokens = 0;
    for (int place = 0; place < runningCount; place++) {
      int row = running[place];
      if (row != NONE) {
        promisedTokens += Math.min(limit[row] - generated[row], MOST_NEW_TOKENS) * ratio.now();
      }
    }
    takenTokens = 0;
    inputLeft = MOST_PREFILL_TOKENS;
    chunkLeft = settings.stepTokens();
    if (chunked != NONE) {
      goOn();
    }
    while (!ledger.waiting.isEmpty()) {
      isFull |= batchCount >= places;
      if (isFull || !add()) {
        break;
      }
    }
    return batchCount > 0;
  }

  /** Tokens that are free or can be made so, less what is promised. */
  private double unpromised() {
    return cache.availableTokens() + cache.evictableTokens() - promisedTokens;
  }

  /** The next part of the prompt that is computed in parts. */
  private void goOn() {
    int row = chunked;
    int most = Math.min(chunkLeft, (int) unpromised());
    most = most <= 0 ? chunkLeft : most;
    int left = known[row] - computed[row];
    int tokens = Math.min(left, most);
    enter(row, tokens, computed[row], NONE);
    take(tokens, left > most ? 0 : Math.min(limit[row], MOST_NEW_TOKENS));
    chunked = left > most ? row : NONE;
  }

  private void enter(int row, int tokens, int stored, int held) {
    batch[batchCount] = row;
    batchTokens[batchCount] = tokens;
    batchStored[batchCount] = stored;
    batchHeld[batchCount] = held;
    batchCount++;
  }

  /** Notes what a prompt takes of the step, and what its answer may take later. */
  private void take(int tokens, int answer) {
    int input = Math.ceilDiv(tokens, pageTokens) * pageTokens;
    promisedTokens += (double) input + answer + pageTokens;
    takenTokens += input + pageTokens;
    inputLeft -= input;
    chunkLeft -= input;
  }

  /** Adds the first request that waits; answers whether another may follow. */
  private boolean add() {
    int request = ledger.waiting.peek();
    int row = freeRows.peek();
    hashes[row].set(request);
    int tokens = ledger.known(request);
    int longest = ledger.longest(request);
    int stored = cache.storedTokens(hashes[row], tokens - 1);
    ledger.work += 1 + stored / settings.blockTokens();
    int rest = Math.min(longest - ledger.answeredTokens(request), MOST_NEW_TOKENS);
    long asked = (long) tokens - stored + rest + pageTokens;
    if (asked >= unpromised()) {
      isFull = true;
      return false;
    }
    int held = cache.hold();
    if (asked >= unpromised()) {
      cache.release(held);
      isFull = true;
      return false;
    }
    boolean isWhole = Math.ceilDiv(tokens - stored, pageTokens) * pageTokens <= chunkLeft;
    int fresh = isWhole ? tokens - stored : (chunkLeft + stored) / pageTokens * pageTokens - stored;
    if (fresh <= 0) {
      cache.release(held);
      return false;
    }
    ledger.waiting.poll();
    freeRows.poll();
    begin(row, request, tokens, stored, longest);
    enter(row, fresh, stored, held);
    chunked = isWhole ? chunked : row;
    take(fresh, isWhole ? Math.min(longest, MOST_NEW_TOKENS) : 0);
    boolean hasRoom =
        unpromised() > 0 && cache.availableTokens() + cache.evictableTokens() - takenTokens > 0;
    isFull |= !hasRoom;
    return hasRoom && inputLeft > 0 && chunkLeft > 0;
  }

  private void begin(int row, int request, int tokens, int stored, int longest) {
    requestOf[row] = request;
    known[row] = tokens;
    computed[row] = stored;
    generated[row] = ledger.answeredTokens(request);
    limit[row] = longest;
    isNew[row] = true;
    storedTokens += stored;
    ledger.begin(request, stored);
  }

  /** Computes the prompts of a step. */
  private void prefill() {
    long all = 0;
    for (int place = 0; place < batchCount; place++) {
      all += batchTokens[place];
    }
    cache.makeRoom(pageTokens == 1 ? all : all + (long) batchCount * pageTokens);
    double attended = 0;
    long readBytes = 0;
    for (int place = 0; place < batchCount; place++) {
      int row = batch[place];
      int tokens = batchTokens[place];
      store(place, row, tokens);
      readBytes += model.readBytes(computed[row]);
      attended += (double) tokens * computed[row] + tokens * (tokens + 1.0) / 2;
      computed[row] += tokens;
      storedTokens += tokens;
      ledger.work += 1 + tokens / settings.blockTokens();
    }
    pass((int) all, attended, readBytes, runningCount + batchCount);
    cache.startGroup();
    for (int place = 0; place < batchCount; place++) {
      int row = batch[place];
      if (row != chunked && answer(row)) {
        batch[place] = NONE;
      } else if (row != chunked) {
        cache.share(row, false);
      }
    }
    cache.endGroup();
  }

  private void store(int place, int row, int tokens) {
    int count = batchStored[place] + tokens;
    boolean hasRoom;
    if (isNew[row]) {
      isNew[row] = false;
      int prompt = traffic.promptTokens(requestOf[row]);
      SequenceStart start =
          new SequenceStart(
              hashes[row], prompt, known[row], batchStored[place], count, count, runningCount > 0);
      hasRoom = cache.begin(row, start, batchHeld[place]);
    } else {
      hasRoom = cache.grow(row, count);
    }
    if (!hasRoom) {
      throw new IllegalStateException("a sequence began for which there was no room");
    }
  }

  private void pass(int tokens, double attended, long readBytes, int together) {
    ledger.step(stepTime.nanos(tokens, attended, readBytes), together, storedTokens);
  }

  /** Computes a token of each answer; answers whether there was any. */
  private boolean decode() {
    int before = runningCount;
    int left = 0;
    for (int place = 0; place < runningCount; place++) {
      if (running[place] != NONE) {
        running[left++] = running[place];
      }
    }
    runningCount = left;
    if (left > 0) {
      if (hasRoom(left)) {
        ratio.decay();
      } else {
        retract();
      }
    }
    isFull &= runningCount == before && runningCount > 0;
    if (runningCount == 0) {
      return false;
    }
    cache.makeRoom((long) runningCount * pageTokens);
    decodeAll();
    return true;
  }

  private void decodeAll() {
    double attended = 0;
    long readBytes = 0;
    for (int place = 0; place < runningCount; place++) {
      int row = running[place];
      if (!cache.grow(row, computed[row] + 1)) {
        throw new IllegalStateException("a sequence has no room that was there");
      }
      attended += computed[row] + 1.0;
      readBytes += hasWindows ? model.readBytes(computed[row]) : computed[row] * model.tokenBytes();
      computed[row]++;
    }
    storedTokens += runningCount;
    ledger.work += runningCount;
    pass(runningCount, attended, readBytes, runningCount);
    cache.startGroup();
    for (int place = 0; place < runningCount; place++) {
      if (answer(running[place])) {
        running[place] = NONE;
      }
    }
    cache.endGroup();
  }

  /** Whether the first of the running sequences have room for a token each. */
  private boolean hasRoom(int count) {
    long needed = 0;
    for (int place = 0; place < count; place++) {
      needed += computed[running[place]] % pageTokens == 0 ? pageTokens : 0;
    }
    cache.makeRoom(needed);
    return cache.availableTokens() >= needed;
  }

  /** Throws sequences out until the others have room. */
  private void retract() {
    Integer[] order =
        IntStream.range(0, runningCount)
            .mapToObj(place -> running[place])
            .sorted(
                Comparator.comparingInt((Integer row) -> -generated[row])
                    .thenComparingInt(row -> traffic.promptTokens(requestOf[row])))
            .toArray(Integer[]::new);
    for (int place = 0; place < order.length; place++) {
      running[place] = order[place];
    }
    boolean isFirst = true;
    while (runningCount > 1 && (isFirst || !hasRoom(runningCount))) {
      isFirst = false;
      int row = running[--runningCount];
      ledger.preemptions++;
      ledger.answered[requestOf[row]] = generated[row];
      ledger.waiting.add(requestOf[row]);
      leave(row, true);
      cache.makeRoom((long) runningCount * NewTokenRatio.RETRACT_STEPS);
    }
    if (runningCount == 1 && !hasRoom(1)) {
      runningCount = 0;
      ledger.rejected++;
      leave(running[0], true);
    }
    long answers = 0;
    long most = 0;
    for (int place = 0; place < runningCount; place++) {
      answers += generated[running[place]];
      most += limit[running[place]];
    }
    ratio.rise(answers, most, runningCount);
  }

  private void leave(int row, boolean comesBack) {
    ledger.work += computed[row] / settings.blockTokens();
    storedTokens -= computed[row];
    cache.end(row, comesBack);
    freeRows.addFirst(row);
  }

  /** A sequence gets its next token; answers whether that was its last. */
  private boolean answer(int row) {
    if (generated[row] == 0) {
      ledger.firstToken(requestOf[row]);
    }
    generated[row]++;
    known[row]++;
    ledger.outputTokens++;
    if (generated[row] < limit[row]) {
      return false;
    }
    ledger.served++;
    leave(row, false);
    return true;
  }
}
