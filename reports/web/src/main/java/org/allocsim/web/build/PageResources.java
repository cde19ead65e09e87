package org.allocsim.web.build;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.teavm.extension.spi.resources.ResourcesPolicy;

/** The files that the engine reads: device profiles, and what pages are made of. */
public final class PageResources implements ResourcesPolicy {
  /** A policy; the compiler makes it. */
  public PageResources() {}

  @Override
  public String[] supplyResources(Collection<? extends String> known) {
    Stream<String> profiles = ShippedProfiles.names().stream().map(name -> name + ".json");
    return Stream.concat(
            inPackage(ShippedProfiles.class, profiles.toList()),
            inPackage(ReportPage.class, ReportPage.resources()))
        .toArray(String[]::new);
  }

  private static Stream<String> inPackage(Class<?> type, List<String> names) {
    String folder = type.getPackageName().replace('.', '/') + '/';
    return names.stream().map(name -> folder + name);
  }
}
