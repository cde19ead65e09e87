package org.allocsim.reports.answer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.advice.AdviseAnswer;
import org.allocsim.reports.answer.colocate.ColocateAnswer;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.ViewAnswer;
import org.allocsim.reports.answer.diagnosis.DiagnoseAnswer;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.answer.diagnosis.LeaksAnswer;
import org.allocsim.reports.answer.diagnosis.LintAnswer;
import org.allocsim.reports.answer.job.AccountJob;
import org.allocsim.reports.answer.job.BlockersJob;
import org.allocsim.reports.answer.job.CapacityJob;
import org.allocsim.reports.answer.job.CheckJob;
import org.allocsim.reports.answer.job.CompareJob;
import org.allocsim.reports.answer.job.DiagnoseJob;
import org.allocsim.reports.answer.job.DiffJob;
import org.allocsim.reports.answer.job.FitJob;
import org.allocsim.reports.answer.job.InspectJob;
import org.allocsim.reports.answer.job.LeaksJob;
import org.allocsim.reports.answer.job.PeakJob;
import org.allocsim.reports.answer.job.PerturbJob;
import org.allocsim.reports.answer.job.ReplayJob;
import org.allocsim.reports.answer.job.TuneJob;
import org.allocsim.reports.answer.job.VerifyJob;
import org.allocsim.reports.answer.moment.AccountAnswer;
import org.allocsim.reports.answer.moment.BlockersAnswer;
import org.allocsim.reports.answer.moment.CheckAnswer;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.moment.PeakAnswer;
import org.allocsim.reports.answer.product.InspectAnswer;
import org.allocsim.reports.answer.product.ListAnswer;
import org.allocsim.reports.answer.product.ListAnswer.Schema;
import org.allocsim.reports.answer.replay.RepeatedAnswer;
import org.allocsim.reports.answer.replay.ReplayAnswer;
import org.allocsim.reports.answer.tuning.CapacityAnswer;
import org.allocsim.reports.answer.tuning.FitAnswer;
import org.allocsim.reports.answer.tuning.PerturbAnswer;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.answer.validation.VerifyAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.wing.Wings;

/** The kinds of documents that commands write as JSON, those of wings after those of the core. */
public final class Answers {
  private static final List<Kind<?>> KINDS =
      List.of(
          DiagnoseAnswer.KIND,
          CompareAnswer.KIND,
          ViewAnswer.KIND,
          TuneAnswer.KIND,
          CapacityAnswer.KIND,
          ColocateAnswer.KIND,
          AdviseAnswer.KIND,
          FitAnswer.KIND,
          ReplayAnswer.KIND,
          RepeatedAnswer.KIND,
          BenchAnswer.KIND,
          PeakAnswer.KIND,
          BlockersAnswer.KIND,
          DiffAnswer.KIND,
          CheckAnswer.KIND,
          AccountAnswer.KIND,
          PerturbAnswer.KIND,
          LintAnswer.KIND,
          LeaksAnswer.KIND,
          ExplainOomAnswer.KIND,
          VerifyAnswer.KIND,
          InspectAnswer.KIND,
          DiagnoseJob.KIND,
          TuneJob.KIND,
          CapacityJob.KIND,
          CompareJob.KIND,
          FitJob.KIND,
          ReplayJob.KIND,
          PeakJob.KIND,
          BlockersJob.KIND,
          DiffJob.KIND,
          CheckJob.KIND,
          AccountJob.KIND,
          PerturbJob.KIND,
          LeaksJob.KIND,
          VerifyJob.KIND,
          InspectJob.KIND,
          ListAnswer.POLICIES.kind(),
          ListAnswer.FORMATS.kind(),
          ListAnswer.PROGRAMS.kind(),
          ListAnswer.DEVICES.kind(),
          ListAnswer.SCHEMAS.kind());

  private Answers() {}

  /** The schema of what the Python package answers, which is a file. */
  private static final String ESTIMATE = "allocsim-estimate-3";

  /** All schemas. */
  public static List<Schema> schemas() {
    return Stream.concat(
            Stream.concat(KINDS.stream(), Wings.kinds().stream())
                .map(kind ->
                    new Schema(
                        kind.id(), kind.command(), JsonText.text(JsonRenderer.schema(kind)))),
            Stream.of(new Schema(ESTIMATE, "estimate --json", resource(ESTIMATE + ".json"))))
        .toList();
  }

  private static String resource(String name) {
    try (InputStream file = Objects.requireNonNull(Answers.class.getResourceAsStream(name), name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The schema of this name and version. */
  public static Optional<Schema> find(String id) {
    return schemas().stream().filter(schema -> schema.id().equals(id)).findFirst();
  }
}
