/**
 * Public reports and claims about GPU memory as scenarios: programs of known sizes before and after
 * a change, and what their outcomes show.
 *
 * <p>A new scenario is a class that implements {@link org.allocsim.analysis.suite.SuiteScenario}
 * and a line in the service file that lists them. Nothing that it says is fixed in advance:
 * verdicts, figures and sentences follow from the outcomes, and a claim is as true as the places
 * where it was tried and held.
 *
 * <p>Five articles on PyTorch and GPU memory were read for claims; with what public answers claim
 * beside them:
 *
 * <table>
 * <caption>Claims and the scenarios that try them</caption>
 * <tr><th>claim</th><th>scenario</th></tr>
 * <tr><td>a full GPU makes PyTorch compute on the CPU</td><td>cpu-fallback</td></tr>
 * <tr><td>empty_cache() cures errors, is a measure before them and not after</td>
 *     <td>empty-cache-cures-oom, article-gpu</td></tr>
 * <tr><td>del, then empty_cache(), makes memory usable again; memory stays high after a model is
 *     deleted</td><td>del-needs-empty-cache</td></tr>
 * <tr><td>empty_cache() in every step makes training faster, or slower</td>
 *     <td>cleaning-cadence</td></tr>
 * <tr><td>workers leak GPU memory, num_workers=0 cures it</td><td>workers-leak-gpu-memory</td></tr>
 * <tr><td>loading in the main process leaves the GPU idle</td>
 *     <td>loading-in-the-main-process</td></tr>
 * <tr><td>pinned memory changes what the GPU holds; pinned copies are faster</td>
 *     <td>pinned-memory, pinned-copies</td></tr>
 * <tr><td>low memory use is a fault; badly written kernels leave memory unused</td>
 *     <td>low-memory-is-a-fault, kernels-hide-memory</td></tr>
 * <tr><td>nvidia-smi shows what tensors use</td><td>driver-view-is-tensors</td></tr>
 * <tr><td>memory is not spread over several GPUs</td><td>memory-of-all-gpus</td></tr>
 * <tr><td>zero_grad() forgotten makes memory grow</td><td>gradients-without-zero-grad</td></tr>
 * <tr><td>gradient accumulation lowers memory</td><td>gradient-accumulation</td></tr>
 * <tr><td>gradient checkpointing lowers memory</td><td>activation-checkpointing</td></tr>
 * <tr><td>torch.cat inflates the peak; intermediates do</td><td>cat-growth, in-place-operations</td></tr>
 * <tr><td>no_grad() lowers memory</td><td>no-grad</td></tr>
 * <tr><td>mixed precision lowers memory</td><td>mixed-precision</td></tr>
 * <tr><td>small allocations fragment memory, as do many intermediates</td>
 *     <td>small-allocations</td></tr>
 * <tr><td>calls of the driver fragment memory, and make utilisation fluctuate</td>
 *     <td>driver-calls-fragment, allocation-causes-fluctuation</td></tr>
 * <tr><td>a slow-down precedes errors</td><td>slow-before-oom</td></tr>
 * <tr><td>kept losses leak; validation without no_grad does</td><td>kept-losses</td></tr>
 * <tr><td>collection is delayed; tensors with a name stay</td><td>collection-is-delayed</td></tr>
 * <tr><td>ghost tensors live in workers; spawn cures it</td><td>ghost-tensors,
 *     spawned-workers</td></tr>
 * <tr><td>saving checkpoints takes GPU memory</td><td>saved-checkpoints</td></tr>
 * <tr><td>max_split_size_mb comes first; it cuts slabs into pieces of that size</td>
 *     <td>split-limit-first, split-limit-cuts-slabs</td></tr>
 * <tr><td>expandable segments always help</td><td>expandable-segments-always-help</td></tr>
 * <tr><td>14.5 reserved, 12 allocated, 1 free and 2 asked is a bug</td><td>figures-are-a-bug,
 *     article-gpu</td></tr>
 * <tr><td>a smaller batch always helps</td><td>smaller-batch-helps, refit-cliff</td></tr>
 * <tr><td>JAX can use 75 % of the GPU only</td><td>jax-three-quarters</td></tr>
 * <tr><td>memory that rises over epochs is a leak</td><td>plateau-is-a-leak</td></tr>
 * </table>
 */
@NullMarked
package org.allocsim.analysis.suite;

import org.jspecify.annotations.NullMarked;
