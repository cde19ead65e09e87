package org.allocsim.analysis.fleet.sweep;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.workloads.format.SimilarPath;
import org.allocsim.workloads.io.Unfinished;

/** The files of this machine. */
public final class LocalStorage implements FleetStorage {
  private static final long serialVersionUID = 1L;

  @Override
  public Optional<FleetFile> file(String name) throws IOException {
    Path path = path(name);
    return Files.exists(path) && !Files.isDirectory(path)
        ? Optional.of(describe(name, Files.readAttributes(path, BasicFileAttributes.class)))
        : Optional.empty();
  }

  @Override
  public boolean isFolder(String name) throws IOException {
    return Files.isDirectory(path(name));
  }

  @Override
  public String remedy(String missing) {
    return SimilarPath.remedy(Path.of(missing));
  }

  private static Path path(String name) throws IOException {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new IOException(name + ": not a file name; check the path", e);
    }
  }

  private static FleetFile describe(String name, BasicFileAttributes attributes) {
    return new FleetFile(name, attributes.size(), attributes.lastModifiedTime().toMillis());
  }

  @Override
  public List<FleetFile> walk(String folder) throws IOException {
    List<FleetFile> files = new ArrayList<>();
    Files.walkFileTree(
        path(folder),
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              files.add(describe(file.toString(), attributes));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  @Override
  public LocalFile fetch(FleetFile file) throws IOException {
    Path path = path(file.name());
    return new LocalFile() {
      @Override
      public Path path() {
        return path;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public InputStream read(String name) throws IOException {
    return new BufferedInputStream(Files.newInputStream(path(name)));
  }

  @Override
  public void write(String name, Content content) throws IOException {
    Path target = path(name).toAbsolutePath();
    Path folder = Objects.requireNonNull(target.getParent());
    Files.createDirectories(folder);
    Unfinished.Begun begun = Unfinished.begin(folder, Files::newOutputStream);
    Path temporary = begun.file();
    try {
      try (OutputStream out = new BufferedOutputStream(begun.stream())) {
        content.writeTo(out);
      }
      Unfinished.finish(
          temporary, () -> Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE));
    } finally {
      Unfinished.remove(temporary);
    }
  }
}
