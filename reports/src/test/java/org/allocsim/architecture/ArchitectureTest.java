package org.allocsim.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.allocsim.simulator.stats.BlockEffects;
import org.allocsim.simulator.stats.PoolCounters;

/** Which code may depend on which, over the classes of all modules. */
@AnalyzeClasses(packages = "org.allocsim", importOptions = DoNotIncludeTests.class)
final class ArchitectureTest {
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
              "org.allocsim.reports..");

  @ArchTest static final ArchRule simulatorPackagesFormNoCycles = noPackageCycles("simulator");

  @ArchTest static final ArchRule workloadsPackagesFormNoCycles = noPackageCycles("workloads");

  @ArchTest static final ArchRule validationPackagesFormNoCycles = noPackageCycles("validation");

  @ArchTest static final ArchRule benchmarksPackagesFormNoCycles = noPackageCycles("benchmarks");

  @ArchTest static final ArchRule reportsPackagesFormNoCycles = noPackageCycles("reports");

  @ArchTest
  static final ArchRule simulatorNeedsNothingButTheJdk =
      classes()
          .that()
          .resideInAPackage("org.allocsim.simulator..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("org.allocsim.simulator..", "java..");

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
                  .and(not(type(PoolCounters.class))));

  @ArchTest
  static final ArchRule onlyTheGpuPackageKnowsJCuda =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.allocsim.validation.gpu..")
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
