/**
 * Device profiles as files ({@link org.allocsim.workloads.profile.ProfileFile}, schema {@code
 * allocsim-device-1}) and those that come with the program ({@link
 * org.allocsim.workloads.profile.ShippedProfiles}).
 */
@NullMarked
package org.allocsim.workloads.profile;

import org.jspecify.annotations.NullMarked;
