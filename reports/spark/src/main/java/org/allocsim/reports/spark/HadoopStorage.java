package org.allocsim.reports.spark;

import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.allocsim.analysis.fleet.sweep.FleetFile;
import org.allocsim.analysis.fleet.sweep.FleetStorage;
import org.allocsim.analysis.fleet.sweep.LocalStorage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The files of any Hadoop file system. A name without a scheme is of the default file system, and
 * relative to the driver's folder. Names of a machine's own files ({@code file:}) are read and
 * written without Hadoop, so that they get no checksum files beside them; the folder must then be
 * the same on all machines.
 */
final class HadoopStorage implements FleetStorage {
  private static final long serialVersionUID = 1L;
  private static final String OWN_FILES = "file";

  private final SerializableConfiguration configuration;

  /** The driver's folder. */
  private final URI base;

  private final LocalStorage local = new LocalStorage();

  private HadoopStorage(Configuration configuration, URI base) {
    this.configuration = new SerializableConfiguration(configuration);
    this.base = base;
  }

  static HadoopStorage of(Configuration configuration) throws IOException {
    return new HadoopStorage(
        configuration, FileSystem.get(configuration).getWorkingDirectory().toUri());
  }

  private Path path(String name) throws IOException {
    try {
      return new Path(new Path(base), new Path(name));
    } catch (IllegalArgumentException e) {
      throw new IOException(name + ": not a file name; check the path", e);
    }
  }

  private FileSystem system(Path path) throws IOException {
    return path.getFileSystem(configuration.value());
  }

  private static boolean isOwn(Path path) {
    return OWN_FILES.equals(path.toUri().getScheme());
  }

  private static String own(Path path) {
    return path.toUri().getPath();
  }

  @Override
  public Optional<FleetFile> file(String name) throws IOException {
    Path path = path(name);
    if (isOwn(path)) {
      return local.file(own(path)).map(file -> named(name, file));
    }
    try {
      FileStatus status = system(path).getFileStatus(path);
      return status.isFile() ? Optional.of(describe(name, status)) : Optional.empty();
    } catch (FileNotFoundException _) {
      return Optional.empty();
    }
  }

  private static FleetFile named(String name, FleetFile file) {
    return new FleetFile(name, file.bytes(), file.modifiedMillis());
  }

  private static FleetFile describe(String name, FileStatus status) {
    return new FleetFile(name, status.getLen(), status.getModificationTime());
  }

  @Override
  public boolean isFolder(String name) throws IOException {
    Path path = path(name);
    if (isOwn(path)) {
      return local.isFolder(own(path));
    }
    try {
      return system(path).getFileStatus(path).isDirectory();
    } catch (FileNotFoundException _) {
      return false;
    }
  }

  @Override
  public List<FleetFile> walk(String folder) throws IOException {
    Path path = path(folder);
    String prefix = folder.endsWith("/") ? folder : folder + "/";
    List<FleetFile> files = new ArrayList<>();
    if (isOwn(path)) {
      int skipped = own(path).length();
      for (FleetFile file : local.walk(own(path))) {
        String below = file.name().substring(skipped).replaceFirst("^/", "");
        files.add(named(prefix + below, file));
      }
      return files;
    }
    FileSystem system = system(path);
    Path root = system.makeQualified(path);
    RemoteIterator<LocatedFileStatus> found = system.listFiles(path, true);
    while (found.hasNext()) {
      LocatedFileStatus status = found.next();
      String below = root.toUri().relativize(status.getPath().toUri()).getPath();
      files.add(describe(prefix + below, status));
    }
    return files;
  }

  @Override
  public LocalFile fetch(FleetFile file) throws IOException {
    Path path = path(file.name());
    if (isOwn(path)) {
      return local.fetch(named(own(path), file));
    }
    java.nio.file.Path copy = Files.createTempFile("allocsim-", ".trace");
    try (InputStream in = system(path).open(path);
        OutputStream out = Files.newOutputStream(copy)) {
      in.transferTo(out);
    } catch (IOException e) {
      Files.deleteIfExists(copy);
      throw e;
    }
    return new Copy(copy);
  }

  private record Copy(java.nio.file.Path path) implements LocalFile {
    @Override
    public void close() {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public InputStream read(String name) throws IOException {
    Path path = path(name);
    return isOwn(path) ? local.read(own(path)) : system(path).open(path);
  }

  @Override
  public void write(String name, Content content) throws IOException {
    Path path = path(name);
    if (isOwn(path)) {
      local.write(own(path), content);
      return;
    }
    FileSystem system = system(path);
    Path temporary =
        new Path(path.getParent(), "." + path.getName() + "-" + UUID.randomUUID() + ".tmp");
    try {
      try (OutputStream out = new BufferedOutputStream(system.create(temporary, true))) {
        content.writeTo(out);
      }
      // Renaming replaces nothing; in between there is no file, never half of one.
      system.delete(path, false);
      if (!system.rename(temporary, path)) {
        throw new IOException(path + " cannot be renamed to");
      }
    } finally {
      system.delete(temporary, false);
    }
  }
}
