package org.allocsim.validation.calibration;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** All timed calls by class, and how often the simulated device answered otherwise. */
public final class ObservationSet {
  private final Map<CallClass, Observations> byClass = new EnumMap<>(CallClass.class);
  private final Map<CallClass, List<Integer>> roundEnds = new EnumMap<>(CallClass.class);
  private long answers;
  private long otherAnswers;

  /** The calls of one class. */
  public Observations of(CallClass wanted) {
    return byClass.computeIfAbsent(wanted, Observations::new);
  }

  void endRound() {
    for (CallClass each : CallClass.values()) {
      roundEnds.computeIfAbsent(each, _ -> new ArrayList<>()).add(of(each).count());
    }
  }

  /** First call of a round. */
  int start(CallClass of, int round) {
    return round == 0 ? 0 : end(of, round - 1);
  }

  /** Behind the last call of a round. */
  int end(CallClass of, int round) {
    return roundEnds.get(of).get(round);
  }

  void compare(long simulated, long real) {
    answers++;
    otherAnswers += simulated == real ? 0 : 1;
  }

  /** Answers (free bytes, bytes of the pool) that were compared with the simulated device's. */
  public long answers() {
    return answers;
  }

  /** Those that differed. */
  public long otherAnswers() {
    return otherAnswers;
  }
}
