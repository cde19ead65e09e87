package org.allocsim.reports.question.validation;

import static java.util.stream.Collectors.joining;

import java.io.File;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.answer.validation.BenchBaseline;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.validation.benchmark.BenchmarkEngine;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkResults;
import org.allocsim.validation.benchmark.Machine;
import org.jspecify.annotations.Nullable;

/**
 * How fast is allocsim on this machine?
 *
 * @param plan what is measured
 * @param baseline results to compare with; null for none
 * @param tolerated share by which something may be slower than they, or take more memory
 */
public record BenchQuestion(BenchmarkPlan plan, @Nullable BenchBaseline baseline, double tolerated)
    implements Question<BenchAnswer> {
  private static final String CLASS_PATH = "java.class.path";

  @Override
  public BenchAnswer ask(Asked asked) {
    BenchmarkEngine engine = engine();
    Machine machine = Machine.here();
    if (baseline != null) {
      baseline.requireLike(machine);
    }
    asked.mayEndEarly();
    BenchmarkResults results = measure(engine);
    return new BenchAnswer(
        machine,
        plan.effort().runs(),
        results.measurements(),
        results.notRun(),
        baseline,
        tolerated);
  }

  /**
   * What measures.
   *
   * @throws Failure where it is not installed
   */
  public static BenchmarkEngine engine() {
    return BenchmarkEngine.installed()
        .orElseThrow(() ->
            new Failure(
                "bench is not part of this installation; use './allocsim bench' in a checkout, or"
                    + " bundle it with './allocsim bundle ARCHIVE.tgz --with bench'"));
  }

  private BenchmarkResults measure(BenchmarkEngine engine) {
    String classPath = System.getProperty(CLASS_PATH);
    // The processes that measure start with the class path of this one, so plugins have to be in
    // it.
    PluginLoader.current()
        .ifPresent(plugins ->
            System.setProperty(
                CLASS_PATH,
                plugins.jars().stream()
                    .map(jar -> jar.toAbsolutePath().toString())
                    .collect(joining(File.pathSeparator, classPath + File.pathSeparator, ""))));
    try (ProgressMeter progress = ProgressMeter.of("measuring", "benchmarks")) {
      return engine.run(plan, progress::update);
    } catch (BenchmarkException e) {
      throw new Failure(
          e.getMessage() + "; see 'allocsim bench --help' for what can be omitted", e);
    } finally {
      System.setProperty(CLASS_PATH, classPath);
    }
  }

  @Override
  public Document<?> document(BenchAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(BenchAnswer answer) {
    return !answer.isWorse();
  }
}
