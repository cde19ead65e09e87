"""Stacks of an estimate's recording are those of a run on a GPU."""

from __future__ import annotations

import copy
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from allocsim.estimate import stacks  # noqa: E402

OWN = str(Path(stacks.__file__).with_name("values.py"))


def frame(place):
    file, _, name = place.rpartition(":")
    return {"filename": file, "name": name, "line": 1}


def after(*places):
    """The places of a stack, as the recording has it."""
    frames = [frame(each) for each in places]
    snapshot = {"device_traces": [[{"action": "alloc", "frames": frames}]], "segments": []}
    stacks.drop_own_frames(snapshot)
    return [f"{each['filename']}:{each['name']}" for each in snapshot["device_traces"][0][0]["frames"]]


class StacksTest(unittest.TestCase):
    def test_the_mode_and_what_leads_to_it_and_on_from_it_are_left_out(self):
        self.assertEqual(
            ["/p/torch/nn/modules/conv.py:_conv_forward", "/home/train.py:forward"],
            after(
                "/p/torch/_ops.py:__call__", f"{OWN}:_checked", f"{OWN}:__torch_dispatch__", "/p/torch/_dynamo/eval_frame.py:_fn", "/p/torch/_compile.py:inner",
                "/p/torch/nn/modules/conv.py:_conv_forward", "/home/train.py:forward",
            ),
        )

    def test_functions_that_are_wrapped_are_left_out_wherever_they_stand(self):
        self.assertEqual(
            ["/p/torch/nn/modules/linear.py:forward", "/home/train.py:<module>"],
            after("/p/torch/nn/modules/linear.py:forward", f"{OWN}:native", "/home/train.py:<module>"),
        )

    def test_a_stack_without_this_package_is_left_as_it_is(self):
        places = ["/p/torch/_ops.py:__call__", "/p/torch/_dynamo/eval_frame.py:_fn", "/home/train.py:<module>"]
        self.assertEqual(places, after(*places))

    def test_operations_that_the_program_calls_by_name_keep_their_frame(self):
        self.assertEqual(
            ["/p/torch/_ops.py:__call__", "/home/train.py:<module>"],
            after("/p/torch/_ops.py:__call__", f"{OWN}:__torch_dispatch__", "/p/torch/_compile.py:inner", "/p/torch/_ops.py:__call__", "/home/train.py:<module>"),
        )

    def test_blocks_and_segments_are_changed_too_and_shared_stacks_once(self):
        shared = [frame(f"{OWN}:native"), frame("/home/train.py:<module>")]
        snapshot = {"device_traces": [[{"frames": shared}, {}]], "segments": [{"frames": copy.copy(shared), "blocks": [{"frames": shared}, {}]}]}
        stacks.drop_own_frames(snapshot)
        segment = snapshot["segments"][0]
        for frames in (shared, segment["frames"], segment["blocks"][0]["frames"]):
            self.assertEqual([frame("/home/train.py:<module>")], frames)


if __name__ == "__main__":
    unittest.main()
