package org.allocsim.reports.answer.diagnosis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.oom.engine.EngineChange;
import org.allocsim.analysis.oom.engine.EngineFigure;
import org.allocsim.analysis.oom.engine.EngineLog;
import org.allocsim.analysis.oom.engine.EngineReport;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
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
              .text("option", "Option or environment variable.", EngineChange::option)
              .text("value", "Recommended value.", EngineChange::value)
              .text("reason", "Effect of the change.", EngineChange::reason));

  /** What a log without a message shows. */
  static final Shape<EngineReport> REPORT =
      Shape.of(report ->
          report
              .flag("fits", "Whether model and one longest sequence fit.", EngineReport::fits)
              .text("headline", "The conclusion, as a sentence.", EngineReport::headline)
              .one("engine", "Figures from the log.", FIGURES, EngineReport::figures)
              .many("engine_changes", "Options that change it.", CHANGE, EngineReport::changes));

  /** A figure as the log prints it. */
  private record Line(String figure, String value) {}

  private EnginePart() {}

  /** For people. */
  static List<Block> blocks(EngineReport report) {
    return List.of(
        table(report.figures()),
        Notes.of("Options", report.changes().stream().map(EngineChange::sentence).toList()));
  }

  /** The figures that the log prints. */
  static Table<?> table(EngineLog.Figures figures) {
    List<Line> lines =
        Arrays.stream(EngineFigure.values())
            .flatMap(figure ->
                figures.of(figure).stream()
                    .map(printed -> new Line(figure.meaning(), shown(figure, printed.value()))))
            .toList();
    return Table.of(
        "Figures",
        Shape.of(row ->
            row.shown(Unit.TEXT, "figures in the log", "Its meaning.", Line::figure)
                .shown(Unit.NUMBER, "figure", "Its value.", Line::value)),
        lines);
  }

  private static String shown(EngineFigure figure, double value) {
    return switch (figure.unit()) {
      case BYTES -> Quantity.bytes(Math.round(value)).toString();
      case COUNT -> Quantity.count(Math.round(value)).toString();
      case RATIO -> String.format(Locale.ROOT, "%.3f", value);
    };
  }

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
