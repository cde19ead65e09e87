package org.allocsim.reports.answer.product;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
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
                  "kind",
                  "knows",
                  "Knowledge of requests: online policies know past requests; offline and bound"
                      + " policies know all.",
                  each -> Keys.of(each.kind()))
              .worded(each -> knowledge(each.kind()))
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

  /** Which row is that of which framework. */
  private static final List<String> WHOSE =
      List.of(
          "PyTorch's row on NVIDIA and AMD GPUs is pytorch, cuda-async for backend:cudaMallocAsync,"
              + " torch-host for pinned memory; on Apple GPUs it is torch-mps, on Intel GPUs"
              + " torch-xpu. Ascend NPUs have no row: torch_npu is a changed copy of pytorch's"
              + " allocator that was not compared.",
          "The row of JAX, XLA and TensorFlow is bfc (JAX since September 2026:"
              + " bfc(preset=jax-growing)), and cuda-async where their allocator is set to"
              + " cuda_async. PaddlePaddle's is paddle-auto-growth, or paddle-virtual-memory with"
              + " FLAGS_use_virtual_memory_auto_growth.",
          "The weights and activations of vLLM and SGLang are PyTorch's. Their KV caches are not in"
              + " this table: 'allocsim serve' compares paged (vLLM by release), sglang, kvcached,"
              + " jenga and vattention on recorded requests.",
          "The scratch memory of llama.cpp and Ollama on CUDA is ggml-vmm, or ggml-legacy on a GPU"
              + " or in a build without virtual memory; ggml-graph plans a compute graph. Weights,"
              + " KV cache and compute buffers are those of program:llama.cpp ('allocsim list"
              + " programs').",
          "MLX's rows are mlx-metal and mlx-cuda.");

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
    return table(rows, List.of());
  }

  /** A row for each, and what is to be said of them. */
  private Document<List<T>> table(List<T> rows, List<String> notes) {
    List<Block> blocks = new ArrayList<>(List.of(Table.of(what, shape, rows)));
    if (!notes.isEmpty()) {
      blocks.add(Notes.of("notes", notes));
    }
    return document(rows, List.of(new Section(null, blocks)));
  }

  /** A row for each policy, and which of them is a user's. */
  public static Document<List<PolicySpec>> allPolicies(List<PolicySpec> all) {
    return POLICIES.table(all, WHOSE);
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
