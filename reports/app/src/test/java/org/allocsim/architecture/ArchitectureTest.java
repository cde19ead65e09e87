package org.allocsim.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.allocsim.reports.answer.job.InspectJob;
import org.allocsim.reports.answer.product.InspectAnswer;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.reports.wing.CommandProvider;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.stats.BlockEffects;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.PoolCounters;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;

/** Which code may depend on which, over the classes of all modules. */
@AnalyzeClasses(
    packages = "org.allocsim",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.NoJarOfTests.class})
final class ArchitectureTest {
  /** Classes of a package, so that a newcomer can look through it. */
  private static final int MAX_CLASSES = 25;

  /** The packages of the wings, by the folder of their module. */
  private static final Map<String, List<String>> WINGS =
      Map.of(
          "reports/fleet",
          List.of("org.allocsim.analysis.fleet..", "org.allocsim.reports.*.fleet.."),
          "reports/idle",
          List.of("org.allocsim.analysis.idle..", "org.allocsim.reports.*.idle.."),
          "reports/serving",
          List.of("org.allocsim.analysis.serving..", "org.allocsim.reports.*.serving.."),
          "reports/suite",
          List.of("org.allocsim.analysis.suite..", "org.allocsim.reports.*.suite.."),
          "validation/gpu",
          List.of(
              "org.allocsim.validation.gpu..",
              "org.allocsim.validation.calibration..",
              "org.allocsim.validation.torch..",
              "org.allocsim.reports.*.gpu.."));

  /** Tests of other modules that this one uses come as a jar. */
  static final class NoJarOfTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule modulesDependOneWayOnly =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("simulator")
          .definedBy("org.allocsim.simulator..")
          .layer("workloads")
          .definedBy("org.allocsim.workloads..")
          .layer("validation")
          .definedBy("org.allocsim.validation..")
          .layer("benchmarks")
          .definedBy("org.allocsim.benchmarks..")
          .layer("analysis")
          .definedBy("org.allocsim.analysis..")
          .layer("reports")
          .definedBy("org.allocsim.reports..")
          .whereLayer("simulator")
          .mayNotAccessAnyLayer()
          .whereLayer("workloads")
          .mayOnlyAccessLayers("simulator")
          .whereLayer("validation")
          .mayOnlyAccessLayers("simulator", "workloads")
          .whereLayer("benchmarks")
          .mayOnlyAccessLayers("simulator", "workloads", "validation")
          .whereLayer("benchmarks")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("analysis")
          .mayOnlyAccessLayers("simulator", "workloads", "validation")
          .whereLayer("reports")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule everyClassBelongsToAModule =
      classes()
          .should()
          .resideInAnyPackage(
              "org.allocsim.simulator..",
              "org.allocsim.workloads..",
              "org.allocsim.validation..",
              "org.allocsim.benchmarks..",
              "org.allocsim.analysis..",
              "org.allocsim.reports..");

  @ArchTest static final ArchRule simulatorPackagesFormNoCycles = noPackageCycles("simulator");

  @ArchTest static final ArchRule workloadsPackagesFormNoCycles = noPackageCycles("workloads");

  @ArchTest static final ArchRule validationPackagesFormNoCycles = noPackageCycles("validation");

  @ArchTest static final ArchRule benchmarksPackagesFormNoCycles = noPackageCycles("benchmarks");

  @ArchTest static final ArchRule analysisPackagesFormNoCycles = noPackageCycles("analysis");

  @ArchTest static final ArchRule reportsPackagesFormNoCycles = noPackageCycles("reports");

  /** The core works without any wing, and each wing without the others. */
  @ArchTest
  static void nothingUsesAWing(JavaClasses classes) {
    for (List<String> wing : WINGS.values()) {
      String[] packages = wing.toArray(String[]::new);
      noClasses()
          .that()
          .resideOutsideOfPackages(packages)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(packages)
          .check(classes);
    }
  }

  @ArchTest
  static void everyWingIsOnTheMap(JavaClasses classes) {
    assertEquals(
        WINGS.keySet().stream().map(each -> each.replaceFirst(".*/", "")).sorted().toList(),
        classes.stream()
            .filter(each -> each.isAssignableTo(CommandProvider.class) && !each.isInterface())
            .map(each -> each.getPackageName().replaceFirst(".*\\.", ""))
            .sorted()
            .toList());
    String map = SourceTree.read(SourceTree.ROOT.resolve("reports/docs/architecture.md"));
    WINGS.keySet().forEach(wing -> assertTrue(map.contains("| `" + wing + "` | a wing: "), wing));
  }

  /** One way from a trace to its requests, so that all questions are about the same program. */
  @ArchTest
  static final ArchRule onlyProgramsReadRequests =
      noClasses()
          .that()
          .resideInAnyPackage("org.allocsim.analysis..", "org.allocsim.reports..")
          .and()
          .resideOutsideOfPackage("org.allocsim.analysis.program..")
          .should()
          .callMethod(TraceSource.class, "read", ReadingOptions.class);

  @ArchTest
  static final ArchRule answersKnowNeitherOptionsNorCommands =
      noClasses()
          .that()
          .resideInAPackage("org.allocsim.reports.answer..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("picocli..", "org.allocsim.reports.cli..");

  /** Answers say what was found; questions open traces and run them. */
  @ArchTest
  static final ArchRule answersOpenAndRunNothing =
      noClasses()
          .that()
          .resideInAPackage("org.allocsim.reports.answer..")
          .should()
          .dependOnClassesThat(
              type(Run.class)
                  .or(type(Traces.class))
                  .or(resideInAnyPackage("org.allocsim.reports.question..")));

  /** What is in a file is said of the file itself. */
  @ArchTest
  static final ArchRule answersAreAboutProgramsNotFiles =
      noClasses()
          .that()
          .resideInAPackage("org.allocsim.reports.answer..")
          .and(not(type(InspectAnswer.class)))
          .and(not(type(InspectJob.class)))
          .should()
          .dependOnClassesThat(type(TraceSource.class));

  /** One way from a question to what is written, for files and for jobs. */
  @ArchTest
  static final ArchRule commandsHaveQuestionsAsked =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.reports.question")
          .and()
          .resideInAPackage("org.allocsim.reports..")
          .should()
          .callMethod(Question.class, "ask", Asked.class);

  @ArchTest
  static final ArchRule onlyTheCommandLineKnowsPicocli =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.reports.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule nothingUsesTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.reports.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.allocsim.reports.cli..");

  /**
   * A policy meets a trace in one place; benchmarks measure that place without what surrounds it.
   */
  @ArchTest
  static final ArchRule onlyRunAndSimulationSendRequestsToAPolicy =
      noClasses()
          .that()
          .resideOutsideOfPackages("org.allocsim.simulator.engine..", "org.allocsim.benchmarks..")
          .and(not(type(Run.class)))
          .and(not(type(Simulation.class)))
          .should()
          .dependOnClassesThat(type(Replay.class));

  @ArchTest
  static void packagesStaySmall(JavaClasses classes) {
    Map<String, Long> sizes =
        classes.stream()
            .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
    assertTrue(sizes.size() > 50, "hardly any package was found");
    sizes.keySet().removeIf(name -> name.endsWith(".jmh_generated"));
    sizes.entrySet().removeIf(each -> each.getValue() <= MAX_CLASSES);
    assertEquals(Map.of(), sizes, "packages with too many classes");
  }

  @ArchTest
  static final ArchRule simulatorNeedsNothingButTheJdk =
      classes()
          .that()
          .resideInAPackage("org.allocsim.simulator..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("org.allocsim.simulator..", "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule policiesReportWhatTheyDoAndKnowNeitherStatisticsNorEngine =
      noClasses()
          .that()
          .resideInAPackage("org.allocsim.simulator.policy..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      "org.allocsim.simulator.stats..", "org.allocsim.simulator.engine..")
                  .and(not(type(BlockEffects.class)))
                  .and(not(type(PoolCounters.class)))
                  // Counts nothing: sizes as PyTorch's messages print them.
                  .and(not(type(ByteFormat.class))));

  @ArchTest
  static final ArchRule onlyTheGpuPackageKnowsJCuda =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.validation.gpu.cuda..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("jcuda..");

  @ArchTest
  static final ArchRule onlyTheBenchmarksKnowJmh =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.benchmarks..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.openjdk.jmh..");

  private static ArchRule noPackageCycles(String module) {
    return slices()
        .matching("org.allocsim." + module + ".(**)")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true);
  }
}
