"""How far a program is run: until nothing new comes, its time is over, or as many optimizer steps as were asked for are done."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import sys
import threading
import time
from typing import Any

from .batches import Batches, Loop, follow_loaders, open_loops
from .building import Clock, follow_builds
from .generators import COMPARED_STEPS, Generators
from .imports import when_imported
from .leave import leave, turns
from .lengths import Lengths
from .phases import Phases, rest_bytes
from .progress import Progress
from .repetition import Repetition
from .source import Hint, Source, Span, is_own, own_files

#: Seconds after the first use of CUDA in which a program is run, unless it is told otherwise.
TIME_SECONDS = 120.0

#: Steps that repeat before a program is ended, for each of its optimizers, and the fewest of all.
REPEATING_STEPS = 3
FEWEST_STEPS = 5

#: How far steps that repeat are run on, at most, for the loop to end by itself: how often it ran decides where the allocator has its free memory afterwards.
#: Counted and not timed, so that a slower machine runs as many.
SETTLING_STEPS = 200
SETTLING_REQUESTS = 50_000

#: Share of the time for which steps that repeat are run on, where the source has a phase that was not reached.
PATIENCE_SHARE = 0.25

#: Share of the time after which batches are only run that are larger than others.
SHORT_SHARE = 0.6

#: Seconds in which a program has to end by itself, once it was told to.
GRACE_SECONDS = 5.0


class Ended(SystemExit):
    """Ends the program from within, as ``sys.exit(0)`` does."""


class Stepping:
    """Follows the steps of a program, and ends it.

    Args:
        options: ``steps``: optimizer steps after which it ends, 0 for never, None for when nothing new comes;
            ``time``: seconds, None for the default; ``leave_out``: whether batches and turns of loops may be left out; ``longest``: the length that one batch is given, None for its own.
        report: where the end is entered.
    """

    def __init__(self, torch: Any, options: dict[str, Any], report: dict[str, Any]) -> None:
        self._torch = torch
        self._report = report
        self._steps = options["steps"]
        self.is_open_ended = self._steps is None
        given = options.get("time")
        self._seconds = given if given is not None else TIME_SECONDS if self.is_open_ended else None
        #: Whether batches and turns of loops may be left out.
        self.may_leave_out = self.is_open_ended and options.get("leave_out", True)
        self._longest: dict[str, Any] | None = options.get("longest")
        self._clock = Clock()
        self._began: float | None = None
        self._new_at = self._clock.now()
        self._counts: dict[int, int] = {}
        self._before = (0, 0)
        self._asked_bytes: dict[int, list[int]] = {}
        self._lock = threading.Lock()
        self._ending: float | None = None
        self._is_exiting = False
        self._stepped_elsewhere = False
        self._settling_steps = self._settling_requests = 0
        self._source: Source | None = None
        self._left: set[Span] = set()
        # Optimizers that may have made more steps in loops that were left.
        self._left_with: set[int] = set()
        self._leaving_until = 0
        self._met: set[tuple[str, int]] = set()
        self._evaluated_at = 0
        self._evaluation_begin: int | None = None
        self._evaluation_extra_bytes = 0
        self._lengths = Lengths(torch)
        self._generators = Generators(torch)
        self._progress = Progress()
        self.steps_run = 0
        self.repetition = Repetition()
        self.phases = Phases()
        self.loops: dict[int, Loop] = {}
        self.loops_open = open_loops()
        report["cut"] = None

    def follow(self) -> None:
        """Starts following the program."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        torch = self._torch
        register_optimizer_step_post_hook(self._stepped)
        follow_loaders(torch, self)
        self._follow_modes(torch.nn.Module)
        self._lengths.follow()
        self._generators.follow()
        follow_builds(self._clock, self._progress)
        when_imported("transformers.generation.utils", lambda module: self._follow_generation(module.GenerationMixin))
        when_imported("transformers.trainer_callback", self._follow_trainer)
        torch.cuda._lazy_call(self._begin)

    def _begin(self) -> None:
        if self._began is None:
            self._began = self._new_at = self._clock.now()
            # The time of a program that is at its end must not interrupt what writes the recording.
            atexit.register(self._exits)
            if self._seconds:
                threading.Thread(target=self._watch, name="allocsim-time", daemon=True).start()

    # --- memory ----------------------------------------------------------------------------

    def _memory(self) -> tuple[int, int, int, int, int, int]:
        """Bytes requested and requests so far, bytes live, their peak, bytes reserved and their peak, over all GPUs."""
        torch = self._torch
        totals = [0] * 6
        if not torch.cuda.is_initialized():
            return (0, 0, 0, 0, 0, 0)
        for device in range(torch._C._cuda_getDeviceCount()):
            found = torch._C._cuda_memoryStats(device)
            requested, reserved = found["requested_bytes"]["all"], found["reserved_bytes"]["all"]
            each = (requested["allocated"], found["allocation"]["all"]["allocated"], requested["current"], requested["peak"], reserved["current"], reserved["peak"])
            totals = [a + b for a, b in zip(totals, each)]
        return tuple(totals)  # type: ignore[return-value]

    def asked_and_live(self) -> tuple[tuple[int, int], int]:
        """Bytes requested and requests so far, and bytes live."""
        found = self._memory()
        return found[:2], found[2]

    def _note(self, name: str | None = None) -> tuple[int, int, int, int, int, int]:
        found = self._memory()
        self.phases.note(found[4], found[5], name)
        return found

    # --- steps -----------------------------------------------------------------------------

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        place = id(optimizer)
        self._counts[place] = self._counts.get(place, 0) + 1
        self.steps_run = max(self._counts.values())
        self.phases.now = "training"
        self.phases.step("training", self.steps_run)
        found = self._note()
        asked = (list(self._counts).index(place), found[0] - self._before[0], found[1] - self._before[1])
        self._before = found[:2]
        self._asked_bytes.setdefault(place, []).append(asked[1])
        self._generators.look()
        if self.repetition.add(asked, found[2]):
            self._new_at = self._clock.now()
            self._lengths.look(sys._getframe(1))
        elif self._has_repeated():
            self._settling_steps += 1
            self._settling_requests += asked[2]
        self._progress.show("training", f"step {self.steps_run}", found[4])
        if threading.current_thread() is threading.main_thread():
            self._look(sys._getframe(1))
        else:
            # Steps within a backward pass run in a thread of autograd's, which neither has the program's loops nor can end it.
            self._stepped_elsewhere = True

    def went_back(self) -> None:
        """A backward pass is over."""
        if not self.steps_run:
            # A program without an optimizer makes no other steps.
            self._generators.look()
            self._lengths.look(sys._getframe(1))
        if self._stepped_elsewhere and threading.current_thread() is threading.main_thread():
            self._stepped_elsewhere = False
            self._look(sys._getframe(1))

    def _look(self, frame: Any) -> None:
        """Whether the program goes on as it would, after a step."""
        if self._ending is not None or self._steps and self.steps_run >= self._steps:
            self.end("steps")
        if self.is_expired():
            self.end("time")
        if self.is_open_ended and self._has_brought_all():
            self._go_on(frame)

    def _has_repeated(self) -> bool:
        return self.steps_run >= FEWEST_STEPS and self.repetition.repeating >= REPEATING_STEPS * len(self._counts)

    def _has_brought_all(self) -> bool:
        """Whether the steps of a loop need not be waited for any more."""
        return self._has_repeated() and not self._is_waiting() and not self.is_settling()

    def is_settling(self) -> bool:
        """Whether steps that repeat are still run on."""
        return self._settling_steps < SETTLING_STEPS and self._settling_requests < SETTLING_REQUESTS and not self.is_short_of_time()

    def _is_waiting(self) -> bool:
        """Whether a loop over a loader is still to bring what it has of new shapes."""
        return any(each.may_end and each.is_known and each.is_training and not each.loop.is_searched for each in self.loops_open)

    def _go_on(self, frame: Any) -> None:
        """Steps repeat: ends the loop that makes them, once what may come in it was waited for, or the program where none can be ended."""
        if self.steps_run < self._leaving_until:
            # The loop is left when its next turn begins; another optimizer may step before.
            return
        unmet = self._unmet()
        assert self._seconds is not None and self._source is not None
        loop = self._loop_to_leave(frame) if self.may_leave_out else None
        reached = {place for each in unmet for place in self._source.places(each)}
        is_within = loop is not None and any(loop.holds(*each) for each in reached)
        if unmet and (loop is None or is_within) and self._clock.now() - self._new_at <= PATIENCE_SHARE * self._seconds:
            return
        if loop is None:
            self.end("repeats")
        else:
            self._leave(loop, frame)

    def _own_loops(self, frame: Any) -> list[tuple[Any, list[Span]]]:
        """The user's frames around a step, with the loops that each is in, the innermost first."""
        assert self._source is not None
        found = []
        while frame is not None:
            if is_own(frame.f_code.co_filename):
                found.append((frame, self._source.loops(os.path.abspath(frame.f_code.co_filename), frame.f_lineno)))
            frame = frame.f_back
        return found

    def _loop_to_leave(self, frame: Any) -> Span | None:
        """The innermost loop of the program around a step that can be left and was not yet."""
        loops = (each for _, around in self._own_loops(frame) for each in around)
        return next((each for each in loops if each.after is not None and each not in self._left), None)

    def _leave(self, loop: Span, frame: Any) -> None:
        """Leaves a loop, and those within it in functions that it calls."""
        self._left.add(loop)
        self._left_with |= set(self._counts)
        self._leaving_until = self.steps_run + 2
        self._new_at = self._clock.now()
        jumps = []
        for inner, around in self._own_loops(frame):
            last = loop if loop in around else next((each for each in reversed(around) if each.after is not None), None)
            if last is not None:
                jumps.append((inner, turns(around, last)))
            if loop in around:
                break
        leave(jumps)

    def _unmet(self) -> list[Hint]:
        if self._source is None:
            self._source = Source(own_files())
        seen = {"evaluation": self._evaluated_at > 0, "generation": self.phases.has("generation")}
        return [each for each in self._source.hints if ((each.file, each.line) not in self._met if each.is_call else not seen[each.phase])]

    def is_expired(self) -> bool:
        """Whether the time is over."""
        return self._seconds is not None and self._began is not None and self._clock.now() - self._began > self._seconds

    def is_short_of_time(self) -> bool:
        """Whether so little time is left that only larger batches are run."""
        return self._seconds is not None and self._began is not None and self._clock.now() - self._began > SHORT_SHARE * self._seconds

    # --- batches ---------------------------------------------------------------------------

    def are_gradients_on(self) -> bool:
        """Whether operations are recorded for a backward pass."""
        return bool(self._torch.is_grad_enabled())

    def between_batches(self, batches: Batches) -> None:
        """A loop asks for its next batch."""
        if not batches.is_training:
            self.phases.now = "evaluation"
            self.phases.step("evaluation")
            found = self._note()
            self._evaluated()
            self._progress.show("evaluation", f"batch {batches.loop.repetition.count + 1}", found[4])
        if self.is_expired():
            self.end("time")

    def lengthened(self, batch: Any, number: int, is_training: bool) -> Any:
        """The batch, or what is run in its place for ``--longest``: one of training that is as long as was asked for."""
        if self._longest is None or not is_training or number != REPEATING_STEPS:
            return batch
        from .lengths import lengthened

        return lengthened(batch, self._longest["tensor"], self._longest["dimension"], self._longest["length"])

    def line(self) -> str:
        """The user's line that runs."""
        from .values import user_line

        return user_line()

    # --- evaluation and generation ---------------------------------------------------------

    def _evaluated(self) -> None:
        self._evaluated_at = max(self._evaluated_at, self.steps_run)

    def _follow_modes(self, module: Any) -> None:
        change = module.train
        stepping = self
        depth = threading.local()

        @functools.wraps(change)
        def train(self: Any, mode: bool = True) -> Any:
            if getattr(depth, "inside", False):
                return change(self, mode)
            depth.inside = True
            try:
                result = change(self, mode)
            finally:
                depth.inside = False
            stepping._switched(self, mode)
            return result

        module.train = train

    def _switched(self, module: Any, is_training: bool) -> None:
        found = self._note()
        if self._evaluation_begin is not None:
            # The peak is that of all phases; where the evaluation was not at it, that is too much.
            self._evaluation_extra_bytes = max(self._evaluation_extra_bytes, found[3] - self._evaluation_begin)
            self._evaluation_begin = None
        if is_training:
            self.phases.now = "training"
            return
        frame: Any = sys._getframe(2)
        while frame is not None and not is_own(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            self._met.add((os.path.abspath(frame.f_code.co_filename), frame.f_lineno))
        if self.steps_run:
            self.phases.now = "evaluation"
            self.phases.step("evaluation")
            self._evaluated()
        self._evaluation_begin = found[2]
        # A model that was compiled or is parallel generates through the one within.
        for each in {type(part) for part in (module, getattr(module, "_orig_mod", None), getattr(module, "module", None))}:
            generate = getattr(each, "generate", None)
            if callable(generate) and not hasattr(generate, "_allocsim_followed"):
                self._follow_generation(each)

    def _follow_generation(self, owner: Any) -> None:
        generate = owner.generate
        stepping = self

        @functools.wraps(generate)
        def followed(*args: Any, **kwargs: Any) -> Any:
            frame: Any = sys._getframe(1)
            while frame is not None and not is_own(frame.f_code.co_filename):
                frame = frame.f_back
            if frame is not None:
                stepping._met.add((os.path.abspath(frame.f_code.co_filename), frame.f_lineno))
            before = stepping.phases.now
            found = stepping._note()
            stepping.phases.now = "generation"
            stepping._progress.show("generation", "running", found[4])
            try:
                return generate(*args, **kwargs)
            finally:
                stepping.phases.step("generation")
                stepping._note()
                stepping.phases.now = before

        followed._allocsim_followed = True  # type: ignore[attr-defined]
        owner.generate = followed

    def _follow_trainer(self, module: Any) -> None:
        """Has the Trainer of Transformers evaluate and then end its training once steps repeat, through its own controls."""
        on_step_end = module.DefaultFlowCallback.on_step_end
        stepping = self
        asked: set[int] = set()

        @functools.wraps(on_step_end)
        def stepped(self: Any, args: Any, state: Any, control: Any, **options: Any) -> Any:
            control = on_step_end(self, args, state, control, **options) or control
            if stepping.may_leave_out and stepping._has_brought_all():
                if id(state) not in asked:
                    asked.add(id(state))
                    control.should_evaluate = control.should_evaluate or str(getattr(args.eval_strategy, "value", args.eval_strategy)) != "no"
                else:
                    control.should_training_stop = True
            return control

        module.DefaultFlowCallback.on_step_end = stepped

    # --- the end ---------------------------------------------------------------------------

    def end(self, how: str) -> None:
        """Ends the program: with SystemExit, and where the program holds that up, at once.

        Args:
            how: ``"steps"``, ``"time"`` or ``"repeats"``.
        """
        if self._ending is not None:
            self._exit()
        self._told(how)
        raise Ended(0)

    def _told(self, how: str) -> None:
        self._progress.clear()
        self._note()
        self._ending = time.monotonic()
        self._report["ended"] = self._report["cut"] = how
        # Before what the program registered itself, which may take long.
        atexit.register(self._exits)
        threading.Thread(target=self._insist, name="allocsim-end", daemon=True).start()

    def _exits(self) -> None:
        self._is_exiting = True

    def _insist(self) -> None:
        time.sleep(GRACE_SECONDS)
        if not self._is_exiting:
            self._exit()

    def _exit(self) -> None:
        """Ends the process after what was to be done at its end: the recording and the report are written."""
        with self._lock:
            self._is_exiting = True
            try:
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(0)

    def _watch(self) -> None:
        """Ends a program that makes no steps and reads no batches, when its time is over."""
        assert self._seconds is not None and self._began is not None
        while (left := self._began + self._seconds + GRACE_SECONDS - self._clock.now()) > 0:
            time.sleep(left)
        if self._ending is None and not self._is_exiting:
            self._told("time")
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.main_thread().ident or 0), ctypes.py_object(Ended))

    # --- the report ------------------------------------------------------------------------

    def report(self) -> dict[str, Any]:
        """What was run, what was not, and what that may cost."""
        self._progress.clear()
        if self._ending is None:
            self._note()
        cut = self._report["cut"]
        skipped = sum(each.skipped for each in self.loops.values())
        growth = self.repetition.growth_bytes_per_step()
        varied = [each for each in (loop.lengths() for loop in self.loops.values()) if each is not None] or self._lengths.seen()
        longest, source = self._lengths.longest_possible(varied) if varied else (None, "")
        unmet = self._unmet() if cut is not None or self._left else []
        if cut is None and self._source is not None:
            # What comes after the loops that were left was run as far as the program comes to it.
            places = self._source.places
            unmet = [each for each in unmet if any(loop.holds(*place) for loop in self._left for place in places(each))]
        return {
            "steps_run": self.steps_run,
            "batches_skipped": skipped,
            "loops_left": sorted(f"{each.file}:{each.first}" for each in self._left),
            "phases": self.phases.report(),
            "not_reached": [{"phase": each.phase, "line": f"{each.file}:{each.line}"} for each in _first_of_each(unmet)],
            "growth_bytes_per_step": growth if cut is not None else 0,
            "lengths": {"seen": varied, "longest_possible": longest, "source": source},
            "drawn_order": round(self._drawn_order(), 4),
            "may_draw_lengths": self._may_draw_lengths(),
            "asked_bytes": [each[:COMPARED_STEPS] for each in self._asked_bytes.values()],
            "later_bytes": self._later(cut, skipped, growth, varied, longest),
        }

    def _later(self, cut: str | None, skipped: int, growth: int, varied: list[dict[str, Any]], longest: int | None) -> dict[str, int | None]:
        """How much more than was seen the whole program may reserve; None where it grows, and so no figure holds."""
        if cut is None and not skipped and not self._left:
            return {"low": 0, "high": 0}
        if cut is not None and growth:
            return {"low": 0, "high": None}
        high = 0
        found = self._memory()
        live = self.repetition.most_live_bytes
        # Steps of one optimizer that differ, and not only in the one that follows an evaluation or the like. Where the batches of a loader do not, what comes between them does, and came.
        unfinished = [each for place, each in self._asked_bytes.items() if cut is not None or skipped or place in self._left_with]
        differing = [asked for asked in (each[2:] for each in unfinished) if len(set(asked)) > max(2, len(asked) // 4)]
        if differing and self._may_vary(varied):
            most = None
            if longest is not None:
                # What a step asks for grows with the square of the length at most.
                most = (longest / max(1, max(each["high"] for each in varied))) ** 2
            high = max(rest_bytes(each, live, found[5], most, not self._is_expandable()) for each in differing)
        if self._evaluation_extra_bytes and self._evaluated_at == 0:
            # Evaluated before there was an optimizer's state or a gradient.
            high = max(high, live + self._evaluation_extra_bytes - found[3])
        return {"low": 0, "high": high}

    def _may_vary(self, varied: list[dict[str, Any]]) -> bool:
        """Whether steps may yet ask for what none asked for: not where all train on batches of loaders, and none of these varies in its lengths."""
        return bool(varied) or any(not each.is_known for each in self.loops.values()) or not any(each.is_training for each in self.loops.values())

    def _drawn_order(self) -> float:
        """How much the lengths of batches vary, as a share of their middle, where they or their order are drawn without a seed: they are others in each run. Else 0."""
        found = [each.lengths() for each in self.loops.values() if each.is_training and each.is_drawn] if not self._generators.has_torch_seed() else []
        if self._may_draw_lengths():
            found += self._lengths.seen()
        shares = [(each["data_high"] - each["low"]) / (each["data_high"] + each["low"]) for each in found if each is not None and each["distinct"] > 2]
        return max(shares, default=0.0)

    def _may_draw_lengths(self) -> bool:
        """Whether the program makes batches of several lengths itself, and draws from a generator without a seed; another run tells whether it draws the lengths."""
        return not any(each.lengths() for each in self.loops.values()) and self._generators.are_drawn() and bool(self._lengths.seen())

    def _is_expandable(self) -> bool:
        return any("expandable_segments:true" in os.environ.get(name, "").lower().replace(" ", "") for name in ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"))


def _first_of_each(unmet: list[Hint]) -> list[Hint]:
    found: dict[str, Hint] = {}
    for each in unmet:
        found.setdefault(each.phase, each)
    return list(found.values())
