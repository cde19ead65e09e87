package org.allocsim.reports.question.recording;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.job.InspectJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.product.BlockRows;
import org.allocsim.reports.answer.product.HistoryRows;
import org.allocsim.reports.answer.product.InspectAnswer;
import org.allocsim.reports.answer.product.SnapshotContents;
import org.allocsim.reports.answer.product.TraceContents;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * What is in a file?
 *
 * @param from number of the first entry of each history that counts
 * @param to number of the entry after the last
 * @param events name of the file that gets the entries; null for none
 * @param blocks name of the file that gets the blocks at the end; null for none
 * @param facts name of the file that gets what the recorder added; null for none
 */
public record InspectQuestion(
    long from, long to, @Nullable String events, @Nullable String blocks, @Nullable String facts)
    implements JobQuestion<InspectAnswer>, DrawnQuestion<InspectAnswer> {
  private static final String EVENTS = "--events";
  private static final String BLOCKS = "--blocks";
  private static final String FACTS = "--facts";

  /** Rejects an invalid range. */
  public InspectQuestion {
    if (from < 0 || to < from) {
      throw Failure.usage(
          "--from " + from + " --to " + to + " is not a range; give an end after the start");
    }
  }

  private boolean hasFiles() {
    return events != null || blocks != null || facts != null;
  }

  @Override
  public InspectAnswer ask(Asked asked) {
    TraceSource source = asked.trace().source();
    Snapshot snapshot = source.snapshot().orElse(null);
    if (snapshot == null && (from > 0 || to < Long.MAX_VALUE || hasFiles())) {
      throw Failure.usage(
          source.name()
              + " is not a snapshot, which --from, --to, --events, --blocks and --facts need; omit"
              + " them");
    }
    return new InspectAnswer(
        source,
        summary(source),
        snapshot == null ? null : SnapshotContents.of(snapshot, from, to),
        snapshot != null
            ? List.of()
            : TraceContents.of(Traces.program(source, Conditions.RECORDED).input().trace()));
  }

  private static String summary(TraceSource source) {
    return TraceFormats.named(source.format())
        .map(TraceFormat::summary)
        .orElse("generated; 'allocsim list programs' shows the programs");
  }

  @Override
  public Document<InspectAnswer> document(InspectAnswer answer) {
    return answer.document();
  }

  @Override
  public void open(DocumentOutputs outputs) {
    outputs.open(EVENTS, events);
    outputs.open(BLOCKS, blocks);
    outputs.open(FACTS, facts);
  }

  @Override
  public void draw(InspectAnswer answer, DocumentOutputs outputs) throws IOException {
    Snapshot snapshot = answer.source().snapshot().orElse(null);
    if (snapshot == null) {
      return;
    }
    OutputFiles.Output entries = outputs.opened(EVENTS);
    if (entries != null) {
      HistoryRows.write(snapshot, from, to, entries.stream());
    }
    OutputFiles.Output ends = outputs.opened(BLOCKS);
    if (ends != null) {
      BlockRows.write(snapshot, ends.stream());
    }
    OutputFiles.Output added = outputs.opened(FACTS);
    if (added != null) {
      String text = snapshot.facts().map(RecordedFacts::text).orElse("null");
      added.stream().write((text + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public void requireForJob(List<String> names) {
    if (hasFiles()) {
      throw Failure.usage(
          "--events, --blocks and --facts need a single recording; give the file of one rank"
              + " instead of the folder "
              + names.getFirst());
    }
  }

  @Override
  public JobView<InspectAnswer, ?, ?> view(AskedJobs jobs) {
    return new InspectJob();
  }
}
