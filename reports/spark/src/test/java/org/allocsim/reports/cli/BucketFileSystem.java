package org.allocsim.reports.cli;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Stands for a file system that is not this machine's own: its files have names of their own. */
public final class BucketFileSystem extends RawLocalFileSystem {
  /** How often each file of this process was opened. */
  static final Map<String, Integer> OPENED = new ConcurrentHashMap<>();

  /** Hadoop makes it. */
  public BucketFileSystem() {}

  @Override
  public URI getUri() {
    return URI.create("bucket:///");
  }

  @Override
  public String getScheme() {
    return "bucket";
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    OPENED.merge(path.getName(), 1, Integer::sum);
    return super.open(path, bufferBytes);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return plain(super.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return Arrays.stream(super.listStatus(path))
        .map(BucketFileSystem::plain)
        .toArray(FileStatus[]::new);
  }

  /** Without the rights, for which the class asks files of scheme {@code file} only. */
  private static FileStatus plain(FileStatus status) {
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        status.getReplication(),
        status.getBlockSize(),
        status.getModificationTime(),
        status.getPath());
  }
}
