package org.allocsim.analysis.serving;

import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.serving.kvcache.CacheCalls;
import org.allocsim.analysis.serving.kvcache.CacheLayout;
import org.allocsim.analysis.serving.kvcache.DriverWork;
import org.allocsim.analysis.serving.kvcache.KvCache;
import org.allocsim.analysis.serving.kvcache.PagedRules;
import org.allocsim.analysis.serving.kvcache.SequenceStart;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModel;

/**
 * An engine with continuous batching, first come first served.
 *
 * <p><b>Rules.</b> A step computes tokens up to a limit: first one for each running sequence, or
 * the next part of its prompt, in the order in which they began. Where a cache has no room for one,
 * the sequence that began last is thrown out and waits at the front; later it is computed again,
 * its answer so far as part of its prompt. A step that threw nobody out then begins sequences that
 * wait, as long as there are tokens, places and room; a prompt may be computed in parts, but since
 * 0.19 it begins only where all of it has room ({@link PagedRules#fitsWhole}). Tokens that the
 * cache has stored are not computed, but for the last one. When all tokens of a sequence are
 * computed it gets its next one, whose keys are stored by the step after.
 *
 * <p>Where a draft guesses, that step computes its guesses too, and those that are right are part
 * of the answer. Room is made for all of them and for the ones that follow, as the draft stores its
 * keys and values in the same blocks; what turns out wrong is written over. A head needs the hidden
 * states of a token, so the last block of a stored prefix is computed again. The draft computes the
 * tokens of each step, then one token for each sequence and further guess.
 *
 * <p>A sequence that found no room is not tried again before it can find some: not until another
 * has ended, or more of its prefix is stored, or windows have given up more blocks than were free
 * then. Each try would look at all of its blocks.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/sched/scheduler.py} (2026) and {@code
 * v1/spec_decode/eagle.py}, without priorities and transfers.
 *
 * <p><b>Deviations.</b> Only vLLM's own cache, and kvcached in its place, asks for room for the
 * whole prompt; others ask for its first part. A prompt that is too long for the cache or the limit
 * is refused; an answer ends where the sequence reaches it. The lengths of answers are those of the
 * file.
 */
final class ServingEngine implements Engine {
  private static final int NONE = -1;

  private final Traffic traffic;
  private final KvCache cache;
  private final ServedModel model;
  private final ServingSettings settings;
  private final StepTime stepTime;
  private final Optional<StepTime> draftTime;

  /** Tokens that are guessed for each sequence. */
  private final int lookahead;

  private final int mostTokens;
  private final boolean hasWindows;

  /** Whether a sequence begins only where all of its tokens have room. */
  private final boolean fitsWhole;

  /**
   * The shortest and the longest window, of which chunks have none, and bytes of a token in layers
   * without windows.
   */
  private final int shortestWindow;

  private final int longestWindow;
  private final long unwindowedBytes;

  /** Bytes of keys and values of a token, the model's and the draft's. */
  private final long tokenBytes;

  private final long draftTokenBytes;

  private final ServingLedger ledger;

  /** Rows of the sequences that run, in the order in which they began. */
  private final int[] order;

  private int running;

  /** By row: request, tokens known, tokens computed, tokens of the answer. */
  private final int[] requestOf;

  private final int[] known;
  private final int[] computed;
  private final int[] generated;
  private final int[] limit;

  /** Whether parts of prompts end with a block, where a state is kept. */
  private final boolean cutsAtBlocks;

  /** By row: tokens at which others part from it, 0 for none. */
  private final int[] junction;

  /** By row: guesses that wait to be computed, and those of them that this step computes. */
  private final int[] guesses;

  private final int[] checked;
  private final RequestHashes[] hashes;
  private final IntQueue freeRows = new IntQueue();

  private long waitedNanos;
  private long storedTokens;
  private long readBytes;

  /** The request that found no room and cannot find any yet; {@link #NONE} if there may be some. */
  private int blocked = NONE;

  private int blockedRow;

  /** Blocks of its prefix that were stored, and tokens for which there was no room after them. */
  private int blockedStored;

  private int blockedTokens;

  /** Of this step: tokens that are computed, and tokens at which they look back. */
  private int stepTokens;

  private double attended;

  ServingEngine(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheChoice choice,
      long cacheBytes,
      CacheCalls calls) {
    this.traffic = traffic;
    boolean isVllm = choice.kind() == CacheKind.PAGED || choice.kind() == CacheKind.KVCACHED;
    fitsWhole = isVllm && choice.release().pagedRules().fitsWhole();
    this.model = model;
    this.settings = settings;
    lookahead = settings.speculation().map(Speculation::tokens).orElse(0);
    List<LayerGroup> groups = settings.layers(model);
    cache =
        choice
            .kind()
            .create(
                groups,
                cacheBytes,
                settings,
                choice.release(),
                new DriverWork(device.costs(), calls));
    stepTime = new StepTime(device, model, model.weightBytes() + model.adapterBytes());
    draftTime =
        settings
            .speculation()
            .map(each ->
                new StepTime(
                    device, each.draft(), each.draft().activeParameters() * ModelShape.HALF_BYTES));
    mostTokens =
        Math.min(settings.mostTokens(), cache.mostTokens(settings.stepTokens() + lookahead));
    tokenBytes = model.tokenBytes();
    draftTokenBytes = settings.speculation().map(each -> each.draft().tokenBytes()).orElse(0L);
    IntSummaryStatistics windows =
        model.groups().stream()
            .mapToInt(LayerGroup::windowTokens)
            .filter(window -> window > 0)
            .summaryStatistics();
    hasWindows = windows.getCount() > 0;
    shortestWindow = model.keepsState() ? 0 : windows.getMin();
    boolean keepsState = model.keepsState();
    cutsAtBlocks = keepsState && isVllm && choice.release().pagedRules().keepsStates();
    boolean hasChunks = model.groups().stream().anyMatch(LayerGroup::isChunked);
    longestWindow = hasChunks || keepsState ? Integer.MAX_VALUE : windows.getMax();
    unwindowedBytes =
        model.groups().stream()
            .filter(group -> group.windowTokens() == 0)
            .mapToLong(LayerGroup::bytesPerToken)
            .sum();
    ledger = new ServingLedger(traffic, choice, new CacheUse(cache), mostTokens);
    int rows = settings.mostSequences();
    order = new int[rows];
    requestOf = new int[rows];
    known = new int[rows];
    computed = new int[rows];
    generated = new int[rows];
    limit = new int[rows];
    junction = new int[rows];
    guesses = new int[rows];
    checked = new int[rows];
    hashes = new RequestHashes[rows];
    for (int row = 0; row < rows; row++) {
      hashes[row] = new RequestHashes(traffic, settings.blockTokens());
      freeRows.add(row);
    }
  }

  @Override
  public CacheLayout layout() {
    return cache.layout();
  }

  @Override
  public ServingResult run(Progress progress) {
    long mostWork = ServingWork.most(traffic, settings.blockTokens(), mostTokens, 1 + lookahead);
    while (!EarlyEnd.isAsked()) {
      ledger.goOn(progress, mostWork);
      if (running > 0 || !ledger.waiting.isEmpty()) {
        step();
      } else if (ledger.isOver()) {
        break;
      } else {
        ledger.idle();
      }
    }
    DriverWork driver = cache.driverWork();
    return ledger.result(
        new ServingResult.Driver(
            driver.mapCalls(), driver.unmapCalls(), driver.nanos(), driver.waitedNanos()));
  }

  private void step() {
    stepTokens = 0;
    attended = 0;
    cache.startStep();
    long thrownOut = ledger.preemptions + ledger.rejected;
    int ready = schedule();
    if (ledger.preemptions + ledger.rejected == thrownOut) {
      ready = admit(ready);
    }
    if (stepTokens == 0) {
      return;
    }
    long driverNanos = cache.driverWork().waitedNanos();
    long nanos =
        stepTime.nanos(stepTokens, attended, readBytes) + draftNanos() + driverNanos - waitedNanos;
    waitedNanos = driverNanos;
    ledger.step(nanos, running, storedTokens);
    complete(ready);
  }

  /** Time of the draft: all tokens of the step, then one of each sequence for each more guess. */
  private long draftNanos() {
    if (draftTime.isEmpty()) {
      return 0;
    }
    StepTime time = draftTime.get();
    long bytes = storedTokens * draftTokenBytes;
    return time.nanos(stepTokens, attended, bytes)
        + (lookahead - 1) * time.nanos(running, storedTokens, bytes);
  }

  /** Makes room for what running sequences compute; answers how many of them do. */
  private int schedule() {
    int ready = 0;
    while (ready < running && stepTokens < settings.stepTokens()) {
      int row = order[ready];
      int tokens = Math.min(known[row] - computed[row], settings.stepTokens() - stepTokens);
      if (cutsAtBlocks) {
        int prompt = traffic.promptTokens(requestOf[row]);
        tokens = cut(prompt, known[row], computed[row], tokens, junction[row]);
        if (tokens == 0) {
          checked[row] = 0;
          ready++;
          continue;
        }
      }
      checked[row] = checkedGuesses(row, tokens);
      int stored = computed[row] + tokens;
      while (!cache.grow(row, stored, room(stored + checked[row]))) {
        int last = order[running - 1];
        throwOut(last);
        if (last == row) {
          return ready;
        }
      }
      compute(ready, tokens);
      check(row);
      ready++;
    }
    return ready;
  }

  /**
   * Tokens of a prompt that a step computes where a state is kept at the end of each part: up to
   * the last whole block that fits, or to where others part from it; none where not even a block
   * fits.
   *
   * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/sched/scheduler.py} ({@code
   * _mamba_block_aligned_split}) 017e9f4 (17 August 2026).
   */
  private int cut(int prompt, int whole, int start, int tokens, int parting) {
    int promptEnd = Math.max(prompt, whole - 1);
    if (start >= promptEnd) {
      return tokens;
    }
    int block = settings.blockTokens();
    int end = start + tokens;
    if (end < promptEnd) {
      int aligned = end / block * block;
      end = aligned > start || block <= settings.stepTokens() ? aligned : end;
    }
    int first = end;
    if (start % block != 0) {
      first = stop(first, start, (start / block + 1) * block);
    }
    first = stop(first, start, whole - whole % block);
    if (start < parting && parting < end) {
      first = stop(first, start, start + (parting - start) / block * block);
    }
    return Math.max(0, first - start);
  }

  private static int stop(int end, int start, int at) {
    return start < at && at < end ? at : end;
  }

  /** Guesses that a step can compute after so many tokens of a sequence. */
  private int checkedGuesses(int row, int tokens) {
    int stepRoom = settings.stepTokens() - stepTokens - tokens;
    int lengthRoom = mostTokens - 1 - computed[row] - tokens;
    return Math.max(0, Math.min(guesses[row], Math.min(stepRoom, lengthRoom)));
  }

  /** Tokens for which there is to be room so that the draft can go on after so many. */
  private int room(int tokens) {
    return Math.min(tokens + lookahead, Math.max(tokens, mostTokens));
  }

  /** Computes a sequence's guesses after its tokens. */
  private void check(int row) {
    int tokens = checked[row];
    stepTokens += tokens;
    ledger.guessedTokens += tokens;
    attended += (double) tokens * computed[row] + tokens * (tokens + 1.0) / 2;
    guesses[row] = 0;
  }

  /** Throws the sequence out that began last; one that is alone can never go on. */
  private void throwOut(int row) {
    int request = requestOf[row];
    ledger.answered[request] = generated[row];
    boolean comesBack = running > 1;
    if (!comesBack) {
      ledger.rejected++;
    } else {
      ledger.preemptions++;
      ledger.waiting.addFirst(request);
    }
    running--;
    leave(row, comesBack);
  }

  private void leave(int row, boolean comesBack) {
    blocked = NONE;
    ledger.work += computed[row] / settings.blockTokens();
    cache.end(row, comesBack);
    storedTokens -= computed[row];
    readBytes -= model.readBytes(computed[row]);
    freeRows.addFirst(row);
  }

  private void compute(int place, int tokens) {
    int row = order[place];
    stepTokens += tokens;
    attended += (double) tokens * computed[row] + tokens * (tokens + 1.0) / 2;
    store(row, tokens);
  }

  private void store(int row, int tokens) {
    ledger.work += 1 + tokens / settings.blockTokens();
    storedTokens += tokens;
    readBytes += moreReadBytes(computed[row], tokens);
    computed[row] += tokens;
  }

  /** Bytes that the next step of a sequence of so many tokens reads more with further ones. */
  private long moreReadBytes(int before, int tokens) {
    if (before + tokens < shortestWindow) {
      return tokens * tokenBytes;
    }
    if (before + 1 >= longestWindow) {
      return tokens * unwindowedBytes;
    }
    return model.readBytes(before + tokens) - model.readBytes(before);
  }

  /** Begins sequences that wait; answers how many compute then. */
  private int admit(int ready) {
    int place = ready;
    while (place == running
        && running < order.length
        && !ledger.waiting.isEmpty()
        && stepTokens < settings.stepTokens()) {
      int request = ledger.waiting.peek();
      int row = freeRows.peek();
      if (isBlocked(request, row)) {
        return place;
      }
      hashes[row].set(request);
      int tokens = ledger.known(request);
      int stored = storedTokens(row, tokens - 1);
      ledger.work += 1 + stored / settings.blockTokens();
      int fresh = freshTokens(request, stored);
      int parting = 0;
      if (cutsAtBlocks) {
        parting = cache.junctionTokens(hashes[row], tokens, stored);
        fresh = cut(traffic.promptTokens(request), tokens, stored, fresh, parting);
        if (fresh == 0) {
          return place;
        }
      }
      SequenceStart start =
          new SequenceStart(
              hashes[row],
              traffic.promptTokens(request),
              tokens,
              stored,
              stored + fresh,
              room(stored + fresh),
              running > 0);
      if (!cache.begin(row, start)) {
        block(request, row, stored);
        return place;
      }
      ledger.waiting.poll();
      freeRows.poll();
      begin(row, request, stored);
      junction[row] = parting;
      order[running++] = row;
      compute(place++, fresh);
    }
    return place;
  }

  /** Notes that a request found no room. */
  private void block(int request, int row, int stored) {
    blocked = request;
    blockedRow = row;
    blockedStored = stored / settings.blockTokens();
    blockedTokens = askedTokens(request, stored);
  }

  /** Whether a request needs as much room as it did not find, and there is no more of it. */
  private boolean isBlocked(int request, int row) {
    if (request != blocked || row != blockedRow) {
      return false;
    }
    if (cache.isStillFull()) {
      return true;
    }
    if (hasWindows || lookahead > 0) {
      // What is stored of its prefix is no matter of single blocks there.
      return !cache.mayHaveMoreRoom()
          && askedTokens(request, blockedStored * settings.blockTokens()) >= blockedTokens;
    }
    // Blocks that are lost at the end of the prefix are room that others took.
    while (blockedStored > 0 && !cache.mayStore(hashes[row], blockedStored - 1)) {
      blockedStored--;
    }
    int stored = blockedStored * settings.blockTokens();
    boolean isLonger =
        stored + settings.blockTokens() < ledger.known(request)
            && cache.mayStore(hashes[row], blockedStored);
    return askedTokens(request, stored) >= blockedTokens && !isLonger;
  }

  /** Tokens for which a request of which so many are stored must find room where it begins. */
  private int askedTokens(int request, int stored) {
    return fitsWhole && !hasWindows ? ledger.known(request) - stored : freshTokens(request, stored);
  }

  /** Tokens that a request of which so many are stored computes in the step in which it begins. */
  private int freshTokens(int request, int stored) {
    return Math.min(ledger.known(request) - stored, settings.stepTokens() - stepTokens);
  }

  private int storedTokens(int row, int most) {
    int stored = cache.storedTokens(hashes[row], most);
    boolean isHead = settings.speculation().map(Speculation::isHead).orElse(false);
    return isHead && stored > 0
        ? cache.storedTokens(hashes[row], stored - settings.blockTokens())
        : stored;
  }

  private void begin(int row, int request, int stored) {
    requestOf[row] = request;
    generated[row] = ledger.answeredTokens(request);
    known[row] = ledger.known(request);
    computed[row] = stored;
    limit[row] = ledger.longest(request);
    guesses[row] = 0;
    checked[row] = 0;
    storedTokens += stored;
    readBytes += model.readBytes(stored);
    ledger.begin(request, stored);
  }

  /** Sequences whose tokens are all computed get their next one, and end with their last. */
  private void complete(int ready) {
    int left = 0;
    for (int place = 0; place < running; place++) {
      int row = order[place];
      if (place < ready && computed[row] == known[row]) {
        answer(row);
        if (generated[row] == limit[row]) {
          ledger.served++;
          leave(row, false);
          continue;
        }
        if (lookahead > 0) {
          // Always has room: right guesses are stored already.
          cache.grow(row, computed[row]);
          guesses[row] = lookahead;
        }
      }
      order[left++] = row;
    }
    running = left;
  }

  /** A sequence gets its next token, after those of its guesses that are right. */
  private void answer(int row) {
    if (generated[row] == 0) {
      ledger.firstToken(requestOf[row]);
    }
    int accepted = accepted(row);
    generated[row] += accepted + 1;
    known[row] += accepted + 1;
    ledger.outputTokens += accepted + 1;
    ledger.acceptedTokens += accepted;
    if (accepted > 0) {
      store(row, accepted);
    } else {
      ledger.work++;
    }
  }

  private int accepted(int row) {
    if (checked[row] == 0) {
      return 0;
    }
    int right =
        settings.speculation().orElseThrow().accepted(requestOf[row], generated[row], checked[row]);
    return Math.min(right, limit[row] - generated[row] - 1);
  }
}
