package org.allocsim.reports.answer.validation;

import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.CaseResult;

/**
 * A case of {@code validate} and what came of it.
 *
 * @param trace file name without its folder
 * @param sha256 digest of the file
 * @param choice the policy
 * @param limitBytes the allocator's own limit, or −1
 * @param capacityBytes memory that was left free on purpose, or −1
 * @param nearLimit whether its limit was chosen near the smallest that suffices
 * @param notRunBecause why the policy was not run, or null
 * @param result null where it was not run
 */
public record ValidatedCase(
    String trace,
    String sha256,
    PolicyChoice choice,
    long limitBytes,
    long capacityBytes,
    boolean nearLimit,
    String notRunBecause,
    CaseResult result) {}
