package org.allocsim.reports.answer.product;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.answer.part.PolicyGroups;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;

/**
 * What there is to choose from, of one sort.
 *
 * @param <T> one of them
 */
public final class ListAnswer<T> {
  private static final Shape<PolicySpec.Option> POLICY_OPTION =
      Shape.of(option ->
          option
              .term(Columns.NAME, "option", PolicySpec.Option::name)
              .term(Columns.DEFAULT, "default", each -> each.defaultValue())
              .text("unit", "unit", "Unit of its value.", PolicySpec.Option::unit)
              .term(Columns.MEANING, "meaning", PolicySpec.Option::meaning));

  private static final Shape<PolicySpec> POLICY =
      Shape.of(policy ->
          policy
              .term(Columns.ID, "id", PolicySpec::id)
              .term(Columns.SUMMARY, "allocator", PolicySpec::summary)
              .text(
                  "framework",
                  "used by",
                  "Framework or library that uses it.",
                  PolicyGroups::framework)
              .missing("none does, or it is a plugin's")
              .worded(each -> Objects.requireNonNullElse(PolicyGroups.framework(each), ""))
              .embed(PolicyGroups.SHAPE, each -> each)
              .text(
                  "kind",
                  "Knowledge of requests: online policies know past requests; offline and bound"
                      + " policies know all.",
                  each -> Keys.of(each.kind()))
              .text("source", "Allocator whose rules it follows.", PolicySpec::source)
              .many("options", "Options.", POLICY_OPTION, PolicySpec::options));

  private static final Shape<TraceFormat> FORMAT =
      Shape.of(format ->
          format
              .term(Columns.ID, "id", TraceFormat::id)
              .text("summary", "contents", "Contents of such files.", TraceFormat::summary)
              .texts("extensions", "File name extensions.", TraceFormat::extensions)
              .shown(
                  Unit.TEXT,
                  "extensions",
                  "File name extensions.",
                  each -> "." + String.join(", .", each.extensions()))
              .flag(
                  "is_written",
                  "written too",
                  "Whether allocsim writes it.",
                  each -> each.writer().isPresent())
              .worded(each -> each.writer().isPresent() ? "yes" : ""));

  private static final Shape<ProgramOption> PROGRAM_OPTION =
      Shape.of(option ->
          option
              .term(Columns.NAME, "option", ProgramOption::name)
              .term(Columns.DEFAULT, "default", ProgramOption::standard)
              .term(Columns.MEANING, "meaning", ProgramOption::meaning));

  private static final Shape<ProgramProvider> PROGRAM =
      Shape.of(program ->
          program
              .term(Columns.ID, "id", ProgramProvider::id)
              .term(Columns.SUMMARY, "program", ProgramProvider::summary)
              .many("options", "Options.", PROGRAM_OPTION, ProgramProvider::options));

  private static final Shape<DeviceProfile> DEVICE =
      Shape.of(device ->
          device
              .text("name", "profile", "Its name on the command line.", DeviceProfile::name)
              .worded(each -> each.name() + (isDefault(each) ? " (default)" : ""))
              .flag("is_default", "Whether it is the default.", ListAnswer::isDefault)
              .term(Columns.TOTAL_BYTES, "memory", DeviceProfile::totalBytes)
              .shown(Unit.COUNT, "bytes", "Its memory.", DeviceProfile::totalBytes)
              .text(
                  "source",
                  "figures",
                  "Where its figures come from.",
                  each -> Keys.of(each.origin())));

  private static final Shape<Schema> SCHEMA =
      Shape.of(schema ->
          schema
              .text("id", "schema", "Its name, with its version.", Schema::id)
              .text(
                  "command",
                  "written by",
                  "Commands that write it.",
                  each -> "allocsim " + each.command()));

  public static final ListAnswer<PolicySpec> POLICIES = new ListAnswer<>("policies", POLICY);

  /** What the rows of frameworks leave unsaid. */
  private static final List<String> WHOSE =
      List.of(
          "pytorch is PyTorch's on NVIDIA and AMD GPUs. Ascend NPUs have no row: torch_npu is a"
              + " changed copy of pytorch's allocator that was not compared.",
          "JAX since September 2026 is bfc(preset=jax-growing); JAX and TensorFlow use cuda-async"
              + " if their allocator is set to cuda_async. PaddlePaddle uses paddle-virtual-memory"
              + " with FLAGS_use_virtual_memory_auto_growth.",
          "The weights and activations of vLLM and SGLang are PyTorch's. For their KV caches,"
              + " 'allocsim serve' compares paged (vLLM by release), sglang, kvcached, jenga and"
              + " vattention on recorded requests.",
          "llama.cpp and Ollama use ggml-vmm for scratch memory on CUDA, ggml-legacy on a GPU or in"
              + " a build without virtual memory. Weights, KV cache and compute buffers are those"
              + " of program:llama.cpp ('allocsim list programs').");

  public static final ListAnswer<TraceFormat> FORMATS = new ListAnswer<>("formats", FORMAT);

  public static final ListAnswer<ProgramProvider> PROGRAMS = new ListAnswer<>("programs", PROGRAM);

  public static final ListAnswer<DeviceProfile> DEVICES = new ListAnswer<>("devices", DEVICE);

  public static final ListAnswer<Schema> SCHEMAS = new ListAnswer<>("schemas", SCHEMA);

  /**
   * A schema of JSON.
   *
   * @param id its name and version
   * @param command the command and option that write such documents
   * @param text the schema as the text of a JSON file
   */
  public record Schema(String id, String command, String text) {}

  private final String what;
  private final Shape<T> shape;
  private final Kind<List<T>> kind;

  private ListAnswer(String what, Shape<T> shape) {
    this.what = what;
    this.shape = shape;
    kind =
        new Kind<>(
            "list-" + what,
            "list " + what + " --json FILE",
            "The " + what + " that there are.",
            Shape.of(list -> list.many(what, "One of them each.", shape, each -> each)));
  }

  /** What is written as JSON. */
  public Kind<List<T>> kind() {
    return kind;
  }

  /** A row for each. */
  public Document<List<T>> table(List<T> rows) {
    return document(rows, List.of(new Section(null, List.of(Table.of(what, shape, rows)))));
  }

  /** A row for each policy, by who can use it, and how a PyTorch program switches. */
  public static Document<List<PolicySpec>> allPolicies(List<PolicySpec> all) {
    List<PolicySpec> sorted = PolicyGroups.sorted(all);
    Table<PolicySpec> table =
        Table.of(POLICIES.what, POLICY, sorted)
            .groupedBy(spec -> PolicyGroups.heading(spec.use().group()));
    List<Block> blocks =
        List.of(
            table,
            new Notes("how a PyTorch program switches", PolicyGroups.howToSwitch(sorted.stream())),
            Notes.of("notes", WHOSE));
    return POLICIES.document(sorted, List.of(new Section(null, blocks)));
  }

  private Document<List<T>> document(List<T> rows, List<Section> sections) {
    return new Document<>(kind, what, null, sections, Table.of(what, shape, rows), rows);
  }

  /** Policies with their options, a section each. */
  public static Document<?> policies(List<PolicySpec> policies) {
    return POLICIES.document(policies, policies.stream().map(ListAnswer::section).toList());
  }

  /** A program with its options. */
  public static Document<?> program(ProgramProvider program) {
    String title = program.id() + ": " + program.summary();
    return PROGRAMS.document(
        List.of(program), List.of(section(title, Facts.none(), PROGRAM_OPTION, program.options())));
  }

  private static Section section(PolicySpec policy) {
    Facts facts =
        Facts.none()
            .and("knows", "{}", knowledge(policy.kind()))
            .and("follows", "{}", policy.source());
    return section(policy.id() + ": " + policy.summary(), facts, POLICY_OPTION, policy.options());
  }

  private static <O> Section section(String title, Facts facts, Shape<O> shape, List<O> options) {
    List<Block> blocks = new ArrayList<>();
    if (!facts.facts().isEmpty()) {
      blocks.add(facts);
    }
    if (!options.isEmpty()) {
      blocks.add(Table.of("options", shape, options));
    }
    return new Section(title, blocks);
  }

  private static boolean isDefault(DeviceProfile profile) {
    return profile.equals(DeviceProfiles.defaultProfile());
  }

  /** What a policy knows of the requests, in a few words. */
  private static String knowledge(PolicySpec.Kind kind) {
    return switch (kind) {
      case ONLINE -> "past requests";
      case OFFLINE -> "all requests, plans";
      case BOUND -> "all requests, a bound";
    };
  }
}
