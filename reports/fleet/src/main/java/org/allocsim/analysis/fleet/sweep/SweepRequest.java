package org.allocsim.analysis.fleet.sweep;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be replayed, as text that any process can take up.
 *
 * @param policies allocators with their options, as {@code --policies} takes them
 * @param confs settings of policy pytorch; an empty one is its default, {@value #RECORDED} stands
 *     for those of the recording, {@value #TUNE} for the grid of {@code allocsim tune}
 * @param devices device profiles as JSON; {@value #RECORDED} stands for the GPU and the limit that
 *     the recording shows, else the default GPU
 * @param ownDevices those of them that do not come with the program: their names do not say what
 *     they are
 * @param memoryFraction share of each device that the allocator may reserve; null without
 * @param memoryLimitBytes the same in bytes; null without
 * @param torchVersion release whose rules are followed, {@link #RECORDED} for those of each
 *     recording, else of the newest
 * @param stopsAtOom whether a run ends at its first failed request
 * @param deviceIndex device of the traces; null for the first that did anything
 * @param format format of the traces; null where their content shows it
 * @param programVersion what distinguishes results of this program from those of another
 */
public record SweepRequest(
    String policies,
    List<String> confs,
    List<String> devices,
    List<String> ownDevices,
    @Nullable Double memoryFraction,
    @Nullable Long memoryLimitBytes,
    String torchVersion,
    boolean stopsAtOom,
    @Nullable Integer deviceIndex,
    @Nullable String format,
    String programVersion)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What the recording says. */
  public static final String RECORDED = "recorded";

  /** The settings that {@code allocsim tune} tries. */
  public static final String TUNE = "tune";

  /** Keeps its own copies. */
  public SweepRequest {
    confs = List.copyOf(confs);
    devices = List.copyOf(devices);
    ownDevices = List.copyOf(ownDevices);
  }
}
