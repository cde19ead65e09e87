/**
 * Device profiles as files ({@link org.allocsim.workloads.profile.ProfileFile}, schema {@code
 * allocsim-device-1}) and those that come with the program ({@link
 * org.allocsim.workloads.profile.ShippedProfiles}).
 */
package org.allocsim.workloads.profile;
