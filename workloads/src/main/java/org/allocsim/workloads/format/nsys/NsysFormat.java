package org.allocsim.workloads.format.nsys;

import java.nio.file.Path;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.sqlite.SqliteFile;

/**
 * A profile of Nsight Systems, exported with {@code nsys export --type sqlite}, of a run under
 * {@code nsys profile --cuda-memory-usage=true}: the memory that a process asked of the CUDA
 * driver, whatever libraries and languages it uses (recorded with 2025.3.1).
 *
 * <p>Requests are the rows of CUDA_GPU_MEMORY_USAGE_EVENTS of kinds Device and Array: cudaMalloc,
 * cudaMallocAsync with its stream, and what is mapped with cuMemMap. Of a program with an allocator
 * of its own, such as PyTorch, these are the segments of that allocator, not the requests to it.
 * Pinned memory becomes host buffers. Static variables of modules, which are loaded and not asked
 * for, and managed memory are left out and counted. Columns are found by their names; streamId,
 * globalPid and deviceId may be missing, as in exports of older releases.
 */
public final class NsysFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "nsys-sqlite";

  /** A format; the service loader makes it. */
  public NsysFormat() {
    super(
        ID,
        "SQLite export of Nsight Systems, profiled with --cuda-memory-usage=true",
        "sqlite",
        "db");
  }

  @Override
  public boolean recognises(FileStart start) {
    return start.text().startsWith(SqliteFile.MAGIC);
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return NsysReader.read(file, progress);
  }
}
