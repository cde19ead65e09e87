package org.allocsim.analysis.serving.kvcache;

import org.allocsim.workloads.model.PageSharing;

/**
 * What differs between releases of vLLM's paged cache.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core}; the release is the first whose branch has
 * the change, or the first after its date where no branch could be read.
 *
 * <table>
 *   <caption>Changes since November 2025</caption>
 *   <tr><th>rule</th><th>pull request</th><th>commit</th><th>date</th><th>release</th></tr>
 *   <tr><td>{@code padding} QUARTER</td><td>29303</td><td></td><td>24 November 2025</td>
 *       <td>0.12, by date</td></tr>
 *   <tr><td>{@code padding} HALF</td><td>36684</td><td></td><td>12 March</td>
 *       <td>0.18, by date</td></tr>
 *   <tr><td>{@code fitsWhole}</td><td>37307</td><td>dc78c2c</td><td>24 March</td><td>0.19</td></tr>
 *   <tr><td>{@code capsWindows}</td><td>40946, 41282</td><td>0ff1bf9</td><td>29 April</td>
 *       <td>0.21, by date</td></tr>
 *   <tr><td>{@code reuse} WINDOWS</td><td>43447</td><td>a618356</td><td>4 June</td>
 *       <td>0.23</td></tr>
 *   <tr><td>{@code reuse} ALL</td><td>42656</td><td>5208287</td><td>16 June</td><td>0.24</td></tr>
 *   <tr><td>{@code watermarkBesideOthers}</td><td>44594</td><td>4085ff7</td><td>11 June</td>
 *       <td>0.24</td></tr>
 *   <tr><td>{@code settlesLate}</td><td>47728</td><td>cd0de48</td><td>8 July</td>
 *       <td>0.26, by date</td></tr>
 *   <tr><td>{@code keepsStates}</td><td>40996, 47782</td><td>95ed0fe, 8ac8375</td><td>10, 13
 *       July</td><td>0.27, by date</td></tr>
 *   <tr><td>{@code keepsTails}</td><td>52216</td><td>017e9f4</td><td>17 August</td>
 *       <td>0.29, by date</td></tr>
 * </table>
 *
 * @param padding when kinds of layers are padded to groups of the size of the largest kind
 * @param reuse which blocks without a prefix are taken again first
 * @param fitsWhole whether a sequence begins only if all that it has so far fits ({@code
 *     scheduler_reserve_full_isl}), not just the tokens of its first step
 * @param capsWindows whether a group with a window asks then for no more than its window and the
 *     tokens of a step
 * @param watermarkBesideOthers whether the watermark holds only where another sequence runs
 * @param settlesLate whether windows give up their blocks a step later, as the step before may
 *     still read them
 * @param keepsStates whether models with layers that keep a state remember prefixes ({@code
 *     mamba_cache_mode} align), a state at the end of each part of a prompt, which is cut at whole
 *     blocks; else they remember nothing and have one state for each sequence
 * @param keepsTails whether groups with a window remember only the blocks that reach back from the
 *     end of the prompt and from the end of what others have of it ({@code
 *     prefix_cache_retention_interval} 0), not all of them
 */
public record PagedRules(
    PageSharing.Padding padding,
    Reuse reuse,
    boolean fitsWhole,
    boolean capsWindows,
    boolean watermarkBesideOthers,
    boolean settlesLate,
    boolean keepsStates,
    boolean keepsTails) {

  /** Whose blocks go to the front of the queue of free blocks where they keep no prefix. */
  public enum Reuse {
    /** Nobody's. */
    NONE,
    /** Those of groups with a window; of groups with chunks only those that a chunk gives up. */
    WINDOWS,
    /** Those of all groups. */
    ALL
  }

  /** The rules up to 0.11: none of the changes. */
  public static final PagedRules FIRST =
      new PagedRules(
          PageSharing.Padding.NONE, Reuse.NONE, false, false, false, false, false, false);

  /** The rules of 0.29: all of the changes. */
  public static final PagedRules NEWEST =
      new PagedRules(PageSharing.Padding.HALF, Reuse.ALL, true, true, true, true, true, true);
}
