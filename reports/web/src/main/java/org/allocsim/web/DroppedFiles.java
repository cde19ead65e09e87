package org.allocsim.web;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.teavm.jso.typedarrays.Int8Array;
import org.teavm.runtime.fs.VirtualFile;
import org.teavm.runtime.fs.VirtualFileAccessor;
import org.teavm.runtime.fs.VirtualFileSystem;

/** The files that the user gave to the page, in one folder; nothing can be written. */
final class DroppedFiles implements VirtualFileSystem {
  private static final String ROOT = "/";

  private final Map<String, Int8Array> files = new HashMap<>();

  void put(String name, Int8Array bytes) {
    files.put(key(name), bytes);
  }

  void remove(String name) {
    files.remove(key(name));
  }

  /** Paths come with and without the root before them. */
  private static String key(String path) {
    return path.startsWith(ROOT) ? path.substring(ROOT.length()) : path;
  }

  @Override
  public String getUserDir() {
    return ROOT;
  }

  @Override
  public VirtualFile getFile(String path) {
    return new Dropped(key(path), files.get(key(path)));
  }

  @Override
  public boolean isWindows() {
    return false;
  }

  @Override
  public String canonicalize(String path) {
    return path;
  }

  @Override
  public String[] getRoots() {
    return new String[] {ROOT};
  }

  /** A file, a folder or nothing. */
  private record Dropped(String path, @Nullable Int8Array bytes) implements VirtualFile {
    @Override
    public String getName() {
      return path.substring(path.lastIndexOf('/') + 1);
    }

    @Override
    public boolean isDirectory() {
      return path.isEmpty();
    }

    @Override
    public boolean isFile() {
      return bytes != null;
    }

    @Override
    public String[] listFiles() {
      return new String[0];
    }

    @Override
    public @Nullable VirtualFileAccessor createAccessor(
        boolean readable, boolean writable, boolean append) {
      return writable || bytes == null ? null : new Reader(bytes);
    }

    @Override
    public boolean createFile(String name) {
      return false;
    }

    @Override
    public boolean createDirectory(String name) {
      return false;
    }

    @Override
    public boolean delete() {
      return false;
    }

    @Override
    public boolean adopt(VirtualFile file, String name) {
      return false;
    }

    @Override
    public boolean canRead() {
      return true;
    }

    @Override
    public boolean canWrite() {
      return false;
    }

    @Override
    public long lastModified() {
      return 0;
    }

    @Override
    public boolean setLastModified(long millis) {
      return false;
    }

    @Override
    public boolean setReadOnly(boolean isReadOnly) {
      return false;
    }

    @Override
    public int length() {
      return bytes == null ? 0 : bytes.getLength();
    }
  }

  /** Reads a file from the browser's memory. */
  private static final class Reader implements VirtualFileAccessor {
    private final Int8Array bytes;
    private int position;

    Reader(Int8Array bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      int got = Math.min(length, bytes.getLength() - position);
      byte[] part =
          new Int8Array(bytes.getBuffer(), bytes.getByteOffset() + position, got).copyToJavaArray();
      System.arraycopy(part, 0, target, offset, got);
      position += got;
      return got;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      throw new UnsupportedOperationException("files are only read");
    }

    @Override
    public int tell() {
      return position;
    }

    @Override
    public void seek(int target) {
      position = target;
    }

    @Override
    public void skip(int amount) {
      position += amount;
    }

    @Override
    public int size() {
      return bytes.getLength();
    }

    @Override
    public void resize(int size) {
      throw new UnsupportedOperationException("files are only read");
    }

    @Override
    public void close() {
      // The bytes are the page's.
    }

    @Override
    public void flush() {
      // Nothing is written.
    }
  }
}
