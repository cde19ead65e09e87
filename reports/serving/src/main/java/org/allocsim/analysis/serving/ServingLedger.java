package org.allocsim.analysis.serving;

import java.util.Arrays;
import org.allocsim.analysis.serving.traffic.Traffic;

/**
 * What became of the requests of a run, whatever engine serves them: those that arrived and wait,
 * counts, and the times of first tokens.
 */
final class ServingLedger {
  final IntQueue waiting = new IntQueue();

  /** By request: tokens of its answer before it was thrown out; −1 if it never began. */
  final int[] answered;

  long nowNanos;
  int served;
  int rejected;
  long preemptions;
  long outputTokens;
  long guessedTokens;
  long acceptedTokens;

  /** Steps of the host: the measure of {@link ServingWork}. */
  long work;

  private final Traffic traffic;
  private final CacheChoice choice;
  private final CacheUse use;
  private final int mostTokens;
  private final long[] firstTokenNanos;
  private int arrivals;
  private int told;
  private int cut;
  private long recomputedTokens;
  private long promptTokens;
  private long hitTokens;
  private long steps;
  private int mostRunning;
  private int firstTokens;

  /**
   * Nothing has arrived.
   *
   * @param mostTokens longest sequence that can be served
   */
  ServingLedger(Traffic traffic, CacheChoice choice, CacheUse use, int mostTokens) {
    this.traffic = traffic;
    this.choice = choice;
    this.use = use;
    this.mostTokens = mostTokens;
    answered = new int[traffic.count()];
    Arrays.fill(answered, -1);
    firstTokenNanos = new long[traffic.count()];
  }

  /**
   * Tells of progress, and lets requests arrive whose time has come.
   *
   * @param mostWork work after which the run is given up
   * @throws IllegalArgumentException where the run takes too much work, with what would not
   */
  void goOn(Engine.Progress progress, long mostWork) {
    if (served + rejected > told) {
      told = served + rejected;
      progress.over(told, traffic.count());
    }
    if (work > mostWork) {
      throw ServingWork.tooMuch(
          choice,
          served,
          traffic.count(),
          promptTokens + outputTokens + recomputedTokens,
          recomputedTokens);
    }
    while (arrivals < traffic.count() && traffic.arrivalNanos(arrivals) <= nowNanos) {
      if (traffic.promptTokens(arrivals) >= mostTokens) {
        rejected++;
      } else {
        waiting.add(arrivals);
      }
      arrivals++;
    }
  }

  /** Whether nothing waits and nothing more will arrive. */
  boolean isOver() {
    return arrivals == traffic.count() && waiting.isEmpty();
  }

  /** Nothing runs or waits: time goes on to the next arrival. */
  void idle() {
    long next = traffic.arrivalNanos(arrivals);
    use.idle(next - nowNanos);
    nowNanos = next;
  }

  /** Tokens of a request's prompt, and of its answer so far. */
  int known(int request) {
    return traffic.promptTokens(request) + answeredTokens(request);
  }

  /** Tokens of a request's answer so far. */
  int answeredTokens(int request) {
    return Math.max(0, answered[request]);
  }

  /** The longest answer that a request can get. */
  int longest(int request) {
    return Math.min(traffic.outputTokens(request), mostTokens - traffic.promptTokens(request));
  }

  /** A request begins, for the first time or again, with so many of its tokens stored. */
  void begin(int request, int stored) {
    if (answered[request] < 0) {
      promptTokens += traffic.promptTokens(request);
      hitTokens += stored;
      cut += longest(request) < traffic.outputTokens(request) ? 1 : 0;
    } else {
      recomputedTokens += known(request) - stored;
    }
  }

  /** A step ends. */
  void step(long nanos, int running, long storedTokens) {
    steps++;
    mostRunning = Math.max(mostRunning, running);
    use.step(nanos, running, storedTokens);
    nowNanos += nanos;
  }

  /** A request gets the first token of its answer. */
  void firstToken(int request) {
    firstTokenNanos[firstTokens++] = nowNanos - traffic.arrivalNanos(request);
  }

  ServingResult result(ServingResult.Driver driver) {
    long[] first = Arrays.copyOf(firstTokenNanos, firstTokens);
    Arrays.sort(first);
    double sum = Arrays.stream(first).asDoubleStream().sum();
    return new ServingResult(
        choice,
        mostTokens,
        served,
        rejected,
        cut,
        preemptions,
        recomputedTokens,
        promptTokens,
        hitTokens,
        outputTokens,
        guessedTokens,
        acceptedTokens,
        steps,
        use.busyNanos(),
        nowNanos,
        use.meanRunning(),
        mostRunning,
        firstTokens == 0 ? 0 : Math.round(sum / firstTokens),
        firstTokens == 0 ? 0 : first[(int) (((long) firstTokens * 99 + 99) / 100 - 1)],
        use.memory(),
        driver);
  }
}
