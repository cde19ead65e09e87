package org.allocsim.reports.answer.diagnosis;

import org.allocsim.analysis.oom.engine.EngineChange;
import org.allocsim.analysis.oom.engine.EngineFigure;
import org.allocsim.analysis.oom.engine.EngineLog;
import org.allocsim.reports.document.Shape;
import org.jspecify.annotations.Nullable;

/** What the log of an inference engine shows, and which of its options would have helped. */
final class EnginePart {
  /** Figures of the log. */
  static final Shape<EngineLog.Figures> FIGURES =
      Shape.<EngineLog.Figures>of(
              engine -> engine.text("name", "Whose log it is.", each -> each.engine().label()))
          .and(engine -> {
            for (EngineFigure figure : EngineFigure.values()) {
              add(engine, figure);
            }
          });

  /** A changed option. */
  static final Shape<EngineChange> CHANGE =
      Shape.of(change ->
          change
              .text("option", "Option, or variable of the environment.", EngineChange::option)
              .text("value", "What it should be.", EngineChange::value)
              .text("reason", "What that changes.", EngineChange::reason));

  private EnginePart() {}

  private static void add(Shape.Builder<EngineLog.Figures> engine, EngineFigure figure) {
    switch (figure.unit()) {
      case BYTES -> engine.bytes(figure.key(), figure.meaning(), each -> rounded(each, figure));
      case COUNT -> engine.count(figure.key(), figure.meaning(), each -> rounded(each, figure));
      case RATIO -> engine.ratio(figure.key(), figure.meaning(), each -> value(each, figure));
    }
    engine.missing("it is not printed");
  }

  private static @Nullable Long rounded(EngineLog.Figures figures, EngineFigure figure) {
    Double value = value(figures, figure);
    return value == null ? null : Math.round(value);
  }

  private static @Nullable Double value(EngineLog.Figures figures, EngineFigure figure) {
    return figures.of(figure).map(printed -> printed.value()).orElse(null);
  }
}
