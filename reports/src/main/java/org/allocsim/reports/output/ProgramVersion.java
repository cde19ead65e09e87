package org.allocsim.reports.output;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormats;

/**
 * What distinguishes results of this program from those of another. A release has its number;
 * builds between releases by their number and the digest of the archives with their code; plugins
 * by the digest of their jars.
 */
public final class ProgramVersion {
  private static final String DEVELOPMENT = "development";
  private static final String UNRELEASED = "-SNAPSHOT";
  private static final int DIGEST_BYTES = 8;

  private ProgramVersion() {}

  /**
   * The version as text.
   *
   * @param user a class of the module whose results they are
   */
  public static String text(Class<?> user) {
    String program = program(user);
    return PluginLoader.current()
        .map(plugins -> program + "+plugins-" + digest(plugins.jars()))
        .orElse(program);
  }

  private static String program(Class<?> user) {
    String number = ProgramVersion.class.getPackage().getImplementationVersion();
    if (number == null) {
      return DEVELOPMENT;
    }
    return number.endsWith(UNRELEASED) ? number + "+" + digest(archives(user)) : number;
  }

  private static Set<Path> archives(Class<?> user) {
    Set<Path> archives = new LinkedHashSet<>();
    for (Class<?> each :
        List.of(AllocationTrace.class, TraceFormats.class, ProgramVersion.class, user)) {
      CodeSource source = each.getProtectionDomain().getCodeSource();
      try {
        archives.add(Path.of(source.getLocation().toURI()));
      } catch (URISyntaxException e) {
        throw new IllegalStateException(e);
      }
    }
    return archives;
  }

  private static String digest(Collection<Path> archives) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path archive : archives) {
        if (Files.isRegularFile(archive)) {
          try (InputStream in = new DigestInputStream(Files.newInputStream(archive), digest)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest(), 0, DIGEST_BYTES);
    } catch (IOException e) {
      throw new Failure("the jars of allocsim or its plugins cannot be read; reinstall them", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
