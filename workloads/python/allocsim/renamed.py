"""Keys of JSON as they were before version 3: code that still asks for them gets the value, with a warning."""

from __future__ import annotations

import warnings
from typing import Any


#: Old keys, and what they are called now; more than one name where objects of several kinds had the key.
RENAMED: dict[str, tuple[str, ...]] = {
    "all": ("copies",),
    "awaiting": ("pending_free",),
    "awaiting_bytes": ("pending_free_bytes",),
    "awaiting_free": ("pending_free",),
    "awaiting_other_streams": ("pending_free",),
    "awaiting_other_streams_bytes": ("pending_free_bytes",),
    "behind_gpu_reserved_bytes": ("lagging_gpu_reserved_bytes",),
    "beside_bytes": ("outside_cache_bytes",),
    "beside_rank_bytes": ("rank_overhead_bytes",),
    "broken": ("introduced_failures",),
    "broken_off": ("aborted",),
    "comes_back": ("recovers",),
    "contradicting": ("mismatched_ranks",),
    "cpu_share": ("cpu_utilization_ratio",),
    "cut_answers": ("truncated_answers",),
    "events_foreseen": ("events_predicted",),
    "events_repeated": ("events_reproduced",),
    "failed_runs_share": ("failed_runs_ratio",),
    "failed_runs_share_interval": ("failed_runs_ratio_interval",),
    "failures_lost": ("unpreventable_failures",),
    "failures_saved": ("prevented_failures",),
    "few_selected_reserved_bytes": ("min_selected_reserved_bytes",),
    "figures": ("source",),
    "first_not_repeated": ("first_not_reproduced",),
    "first_unforeseen": ("first_mispredicted",),
    "fits_at_all": ("can_fit",),
    "fits_without": ("fits_if_freed",),
    "foreseen": ("predicted",),
    "foreseen_with_addresses": ("predicted_with_addresses",),
    "free_for_all_bytes": ("free_on_all_gpus_bytes",),
    "free_parts_of_live_segments_bytes": ("inactive_split_bytes",),
    "fullest_rank": ("max_reserved_rank",),
    "gpu_utilisation": ("gpu_utilization_ratio",),
    "gpu_utilisation_ratio": ("gpu_utilization_ratio",),
    "graphs_in_share": ("graphs_in_utilization",),
    "guessed_tokens": ("draft_tokens",),
    "helps": ("can_help",),
    "highest_after_bytes": ("after_max_reserved_bytes",),
    "highest_before_bytes": ("before_max_reserved_bytes",),
    "highest_peak_reserved_bytes": ("max_peak_reserved_bytes",),
    "highest_rank": ("max_reserved_rank",),
    "highest_reserved_bytes": ("max_reserved_bytes",),
    "holds": ("passes",),
    "in_advance_bytes": ("preallocated_bytes",),
    "largest_cache_bytes": ("max_cache_bytes",),
    "largest_utilization_ratio": ("max_utilization_ratio",),
    "least_limit_bytes": ("min_limit_bytes",),
    "least_reserved_bytes": ("min_reserved_bytes",),
    "left": ("at_end",),
    "left_bytes": ("headroom_bytes",),
    "left_out": ("skipped",),
    "left_out_requests": ("skipped_requests",),
    "left_over": ("surplus",),
    "level_from": ("flat_from_iteration",),
    "longest_tokens": ("possible_length_tokens",),
    "lost": ("unpreventable_failures", "recording_lost"),
    "lowest_rank": ("min_reserved_rank",),
    "lowest_reserved_bytes": ("min_reserved_bytes",),
    "messages_left_out": ("skipped_messages",),
    "most_limit_bytes": ("max_limit_bytes",),
    "most_picked_reserved_bytes": ("max_picked_reserved_bytes",),
    "most_pinned_rank": ("most_blocked_rank",),
    "most_running": ("max_running",),
    "most_saved_bytes": ("max_saved_bytes",),
    "mps_room_bytes": ("mps_headroom_bytes",),
    "not_kept": ("exceeded_limits",),
    "not_read": ("skipped",),
    "not_run_because": ("not_run_reason",),
    "now_bytes": ("current_bytes",),
    "order_unknown_because": ("order_unknown_reason",),
    "other_answers": ("differing_answers",),
    "other_streams_stuck_bytes": ("other_streams_inactive_split_bytes",),
    "part": ("count",),
    "peak_under_estimated": ("peak_underestimated",),
    "piece_seconds": ("slice_seconds",),
    "pinning_bytes": ("blocker_bytes",),
    "plain": ("unchanged",),
    "plain_bytes_per_second": ("uncompressed_bytes_per_second",),
    "plain_passes": ("unchanged_passes",),
    "plain_peak_reserved_bytes": ("unchanged_peak_reserved_bytes",),
    "ranks_left_out": ("skipped_ranks",),
    "real_only": ("measured_only",),
    "refused": ("rejected", "unsupported_function"),
    "refused_calls": ("failed_calls",),
    "refused_functions": ("unsupported_functions",),
    "repeated": ("reproduced",),
    "request_fits_without": ("request_fits_if_freed",),
    "resize_share": ("resize_ratio",),
    "served_by_each_its_own": ("served_by_own_best_setting",),
    "set_up": ("setup",),
    "share": ("ratio",),
    "share_ratio": ("memory_fraction_ratio",),
    "shared_ratio": ("shared_requests_ratio",),
    "shared_requests_share": ("shared_requests_ratio",),
    "shares": ("utilizations", "utilization_ratio"),
    "shares_of_cases": ("case_ratios",),
    "stand_in": ("is_mock_driver",),
    "statistics_not_repeated": ("statistics_not_reproduced",),
    "statistics_unforeseen": ("statistics_mispredicted",),
    "stuck_bytes": ("inactive_split_bytes",),
    "swept": ("sweep",),
    "utilisation_over_time": ("utilization_over_time",),
    "utilisation_ratio": ("utilization_ratio",),
    "verdict": ("leak_verdict", "oom_verdict"),
    "wanted": ("requested_size",),
    "whole": ("total",),
    "whole_gpu_in_share": ("whole_gpu_in_utilization",),
}


class Keyed(dict[str, Any]):
    """An object of JSON that knows its old keys: ``json.loads(text, object_hook=Keyed)``."""

    def __missing__(self, key: str) -> Any:
        now = self._now(key)
        if now is None:
            raise KeyError(key)
        return self[now]

    def get(self, key: str, default: Any = None) -> Any:
        """As that of a dictionary, for old keys as well."""
        now = key if super().__contains__(key) else self._now(key)
        return default if now is None else self[now]

    def __contains__(self, key: object) -> bool:
        """Whether the object has the key, or what an old key is called now."""
        return super().__contains__(key) or any(super(Keyed, self).__contains__(each) for each in RENAMED.get(str(key), ()))

    def _now(self, key: str) -> str | None:
        """What an old key is called in this object, with a warning for the caller's caller; None if it is not here."""
        now = next((each for each in RENAMED.get(key, ()) if super(Keyed, self).__contains__(each)), None)
        if now is not None:
            warnings.warn(f"the key {key!r} is now {now!r}", DeprecationWarning, stacklevel=3)
        return now
