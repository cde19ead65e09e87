"""``nvidia-smi`` for programs that are estimated: what it says of the described GPU, by the mock driver's NVML.

It runs as a process of its own, from its file. What it is not made for ends with a sentence and the exit code 1; as with the
real one, settings are taken, unknown fields are refused, and what a GPU cannot say is ``[N/A]``.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from typing import Any, Callable, Iterator, Sequence

_MEBIBYTE = 1 << 20

#: Fields of the real one that nothing is known of here.
_UNKNOWN = (
    "accounting.", "clocks_event_reasons", "clocks_throttle_reasons", "driver_model.", "ecc.", "encoder.", "fabric.", "fan.speed", "gom.", "gpu_operation_mode.", "gpu_part_number",
    "gpu_recovery_action", "gpu_serial", "gsp.", "inforom.", "pci.device_id", "pci.sub_device_id", "pcie.", "protected_memory.", "remapped_rows.", "retired_pages.", "serial",
    "temperature.gpu.tlimit", "temperature.memory", "utilization.jpeg", "utilization.ofa", "vbios_version",
)

#: Options that change a GPU; each is followed by a value, or, with ``=``, holds it.
_SETTINGS = (
    "-pm", "--persistence-mode", "-pl", "--power-limit", "-c", "--compute-mode", "-ac", "--applications-clocks", "-lgc", "--lock-gpu-clocks", "-lmc", "--lock-memory-clocks",
    "-e", "--ecc-config", "-am", "--accounting-mode",
)
_RESETS = ("-rac", "--reset-applications-clocks", "-rgc", "--reset-gpu-clocks", "-rmc", "--reset-memory-clocks")


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("bytes", ctypes.c_ulonglong), ("instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


class Refused(Exception):
    """The command line is wrong, or of a kind that is not available here; the message and the exit code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


class Gpu:
    """A GPU as NVML sees it."""

    def __init__(self, library: Any, index: int) -> None:
        self._library = library
        self.index = index
        self._handle = ctypes.c_void_p()
        library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self._handle))

    def text(self, function: str) -> str:
        """What a function of NVML answers in text."""
        found = ctypes.create_string_buffer(96)
        getattr(self._library, function)(self._handle, found, 96)
        return found.value.decode()

    def number(self, function: str, *arguments: int) -> int:
        """What a function of NVML answers in a number."""
        found = ctypes.c_uint()
        getattr(self._library, function)(self._handle, *arguments, ctypes.byref(found))
        return found.value

    def memory(self) -> Any:
        """Bytes of its memory: ``total``, ``free``, ``used``."""
        found = _Memory()
        self._library.nvmlDeviceGetMemoryInfo(self._handle, ctypes.byref(found))
        return found

    def bus(self) -> str:
        """Its address on the PCI bus."""
        return f"00000000:{self.index:02X}:00.0"

    def capability(self) -> str:
        """Its compute capability."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvmlDeviceGetCudaComputeCapability(self._handle, ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def mig(self) -> str:
        """Whether it is divided."""
        modes = ctypes.c_uint(), ctypes.c_uint()
        code = self._library.nvmlDeviceGetMigMode(self._handle, ctypes.byref(modes[0]), ctypes.byref(modes[1]))
        return "[N/A]" if code else "Disabled"

    def processes(self) -> list[tuple[int, int]]:
        """Processes that use it, each with its bytes."""
        count, found = ctypes.c_uint(256), (_Process * 256)()
        self._library.nvmlDeviceGetComputeRunningProcesses_v3(self._handle, ctypes.byref(count), found)
        return [(each.pid, each.bytes) for each in found[: count.value]]


class System:
    """The GPUs and their driver."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libnvidia-ml.so.1")
        count = ctypes.c_uint()
        self._library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        self.gpus = [Gpu(self._library, index) for index in range(count.value)]

    def driver(self) -> str:
        """The driver's release."""
        found = ctypes.create_string_buffer(96)
        self._library.nvmlSystemGetDriverVersion(found, 96)
        return found.value.decode()

    def cuda(self) -> str:
        """The version of CUDA that the driver has."""
        found = ctypes.c_int()
        self._library.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(found))
        return f"{found.value // 1000}.{found.value % 1000 // 10}"

    def process_name(self, pid: int) -> str:
        """The program of a process."""
        found = ctypes.create_string_buffer(4096)
        self._library.nvmlSystemGetProcessName(pid, found, 4096)
        return found.value.decode(errors="replace") or "[Not Found]"


def _value(system: System, gpu: Gpu, field: str) -> tuple[str, str] | None:
    """A field of a GPU, and its unit; None where there is no such field."""
    clock = next((number for number, names in enumerate((("gr", "graphics"), ("sm",), ("mem", "memory"), ("video",))) if field.rpartition(".")[2] in names), None)
    if field.startswith("clocks.") and clock is not None:
        return str(gpu.number("nvmlDeviceGetClockInfo", clock)), "MHz"
    if field.startswith("memory."):
        name = field.partition(".")[2]
        if name == "reserved":
            return "0", "MiB"
        return (str(getattr(gpu.memory(), name) // _MEBIBYTE), "MiB") if name in ("total", "free", "used") else None
    if field in ("power.draw", "power.draw.average", "power.draw.instant"):
        return f"{gpu.number('nvmlDeviceGetPowerUsage') / 1000:.2f}", "W"
    if field in ("power.limit", "power.default_limit", "power.max_limit", "enforced.power.limit"):
        return f"{gpu.number('nvmlDeviceGetPowerManagementLimit') / 1000:.2f}", "W"
    if field in ("utilization.gpu", "utilization.memory", "utilization.encoder", "utilization.decoder"):
        return "0", "%"
    plain: dict[str, Callable[[], str]] = {
        "timestamp": lambda: time.strftime("%Y/%m/%d %H:%M:%S.000"),
        "driver_version": system.driver,
        "count": lambda: str(len(system.gpus)),
        "name": lambda: gpu.text("nvmlDeviceGetName"),
        "gpu_name": lambda: gpu.text("nvmlDeviceGetName"),
        "uuid": lambda: gpu.text("nvmlDeviceGetUUID"),
        "gpu_uuid": lambda: gpu.text("nvmlDeviceGetUUID"),
        "index": lambda: str(gpu.index),
        "pci.bus_id": gpu.bus,
        "gpu_bus_id": gpu.bus,
        "pci.domain": lambda: "0x0000",
        "pci.bus": lambda: f"0x{gpu.index:02X}",
        "pci.device": lambda: "0x00",
        "compute_cap": gpu.capability,
        "compute_mode": lambda: "Default",
        "persistence_mode": lambda: "Enabled",
        "display_active": lambda: "Disabled",
        "display_mode": lambda: "Disabled",
        "pstate": lambda: "P0",
        "temperature.gpu": lambda: str(gpu.number("nvmlDeviceGetTemperature", 0)),
        "mig.mode.current": gpu.mig,
        "mig.mode.pending": gpu.mig,
        "power.management": lambda: "Enabled",
    }
    if field in plain:
        return plain[field](), ""
    return ("[N/A]", "") if field.startswith(_UNKNOWN) or field == "power.min_limit" else None


def _query(system: System, gpus: Sequence[Gpu], fields: Sequence[str], layout: Sequence[str]) -> Iterator[str]:
    """The lines of ``--query-gpu``."""
    rows = []
    for gpu in gpus:
        row = []
        for field in fields:
            found = _value(system, gpu, field)
            if found is None:
                raise Refused(f'Field "{field}" is not a valid field to query.', 2)
            row.append(found)
        rows.append(row)
    yield from _table(fields, rows, layout)


def _query_processes(system: System, gpus: Sequence[Gpu], fields: Sequence[str], layout: Sequence[str]) -> Iterator[str]:
    """The lines of ``--query-compute-apps``."""
    rows = []
    for gpu in gpus:
        for pid, size in gpu.processes():
            known = {
                "timestamp": (time.strftime("%Y/%m/%d %H:%M:%S.000"), ""),
                "gpu_name": (gpu.text("nvmlDeviceGetName"), ""), "gpu_uuid": (gpu.text("nvmlDeviceGetUUID"), ""), "gpu_bus_id": (gpu.bus(), ""),
                "pid": (str(pid), ""), "process_name": (system.process_name(pid), ""), "name": (system.process_name(pid), ""),
                "used_gpu_memory": (str(size // _MEBIBYTE), "MiB"), "used_memory": (str(size // _MEBIBYTE), "MiB"),
            }
            wrong = next((each for each in fields if each not in known), None)
            if wrong is not None:
                raise Refused(f'Field "{wrong}" is not a valid field to query.', 2)
            rows.append([known[each] for each in fields])
    yield from _table(fields, rows, layout)


def _table(fields: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]], layout: Sequence[str]) -> Iterator[str]:
    has_units = "nounits" not in layout
    if "noheader" not in layout:
        units = {"memory": "MiB", "used_memory": "MiB", "used_gpu_memory": "MiB", "utilization": "%", "power": "W", "enforced": "W", "clocks": "MHz"}
        titles = [(each, rows[0][place][1] if rows else units.get(each.partition(".")[0], "")) for place, each in enumerate(fields)]
        yield ", ".join(f"{name} [{unit}]" if unit and has_units else name for name, unit in titles)
    for row in rows:
        yield ", ".join(f"{value} {unit}" if unit and has_units else value for value, unit in row)


def _overview(system: System, gpus: Sequence[Gpu]) -> Iterator[str]:
    """The lines of a call without options."""
    width = 89
    edge = "+" + "-" * width + "+"

    def row(text: str) -> str:
        return f"| {text:<{width - 2}} |"

    def cells(one: str, two: str, three: str) -> str:
        return f"| {one:<39} | {two:<22} | {three:<20} |"

    inner = "+" + "-" * 41 + "+" + "-" * 24 + "+" + "-" * 22 + "+"
    yield time.strftime("%a %b %e %H:%M:%S %Y")
    yield edge
    yield row(f"NVIDIA-SMI {system.driver():<22} Driver Version: {system.driver():<14} CUDA Version: {system.cuda()}")
    yield inner
    yield cells(f"{'GPU  Name':<24}Persistence-M", "Bus-Id          Disp.A", "Volatile Uncorr. ECC")
    yield cells("Fan  Temp   Perf          Pwr:Usage/Cap", f"{'Memory-Usage':>22}", "GPU-Util  Compute M.")
    yield inner.replace("-", "=").replace("+", "|")
    for gpu in gpus:
        memory = gpu.memory()
        used = f"{memory.used // _MEBIBYTE}MiB / {memory.total // _MEBIBYTE}MiB"
        power = f"{gpu.number('nvmlDeviceGetPowerUsage') // 1000}W / {gpu.number('nvmlDeviceGetPowerManagementLimit') // 1000}W"
        yield cells(f"{gpu.index:>3}  {gpu.text('nvmlDeviceGetName')[:26]:<26}      On", f"{gpu.bus()} Off", f"{'N/A':>20}")
        yield cells(f"N/A   {gpu.number('nvmlDeviceGetTemperature', 0)}C    P0 {power:>23}", f"{used:>22}", f"{'0%      Default':>20}")
        yield inner
    yield ""
    yield edge
    yield row("Processes:")
    yield row(f"{'GPU':>4}{'PID':>12}   {'Type':<7}{'Process name':<42}{'GPU Memory':>18}")
    yield edge.replace("-", "=").replace("+", "|")
    found = [(gpu, *each) for gpu in gpus for each in gpu.processes()]
    for gpu, pid, size in found:
        yield row(f"{gpu.index:>4}{pid:>12}   {'C':<7}{system.process_name(pid)[-40:]:<42}{size // _MEBIBYTE:>15}MiB")
    if not found:
        yield row("No running processes found")
    yield edge


def _chosen(system: System, named: str | None) -> list[Gpu]:
    """The GPUs that ``-i`` names: by number, UUID or address."""
    if named is None:
        return system.gpus
    found = []
    for name in named.split(","):
        gpu = next((each for each in system.gpus if name in (str(each.index), each.text("nvmlDeviceGetUUID"), each.bus())), None)
        if gpu is None:
            raise Refused("No devices were found", 6)
        found.append(gpu)
    return found


def _parsed(arguments: Sequence[str]) -> dict[str, str]:
    """Options with their values, those with one letter by their long names."""
    long = {"-i": "--id", "-f": "--filename", "-l": "--loop", "-lms": "--loop-ms", "-L": "--list-gpus"}
    found: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        name = long.get(name, name)
        if name in _SETTINGS or name in ("--id", "--filename", "--loop", "--loop-ms"):
            if not equals:
                value = left.pop(0) if left and not left[0].startswith("-") else "5" if name == "--loop" else ""
        elif name not in ("--query-gpu", "--query-compute-apps", "--format", "--list-gpus", "--version", *_RESETS):
            raise Refused(f"nvidia-smi {' '.join(arguments)} is not available in an estimate, which has --query-gpu, --query-compute-apps, -L and the call without options", 1)
        found[name] = value
    return found


def lines(system: System, options: dict[str, str]) -> Iterator[str]:
    """What a command line answers.

    Raises:
        Refused: it is wrong.
    """
    gpus = _chosen(system, options.get("--id"))
    layout = [each.strip() for each in options.get("--format", "").split(",")]
    for name, query in (("--query-gpu", _query), ("--query-compute-apps", _query_processes)):
        if name in options:
            if layout[0] != "csv":
                raise Refused('"--format=" is missing or is not csv', 2)
            yield from query(system, gpus, [each.strip() for each in options[name].split(",")], layout)
            return
    if "--list-gpus" in options:
        for gpu in gpus:
            yield f"GPU {gpu.index}: {gpu.text('nvmlDeviceGetName')} (UUID: {gpu.text('nvmlDeviceGetUUID')})"
    elif "--version" in options:
        yield f"NVIDIA-SMI version  : {system.driver()}"
        yield f"DRIVER version      : {system.driver()}"
        yield f"CUDA Version        : {system.cuda()}"
    elif any(each in options for each in (*_SETTINGS, *_RESETS)):
        yield "All done."
    else:
        yield from _overview(system, gpus)


def main(arguments: Sequence[str]) -> int:
    """The command: its exit code."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        options = _parsed(arguments)
        pause = float(options["--loop"]) if "--loop" in options else float(options["--loop-ms"]) / 1000 if "--loop-ms" in options else None
        if options.get("--filename"):
            sys.stdout = open(options["--filename"], "w", encoding="utf-8")
        while True:
            for line in lines(System(), options):
                print(line)
            sys.stdout.flush()
            if pause is None:
                return 0
            if os.getppid() == 1:
                # Nobody is left to end it.
                return 0
            time.sleep(pause)
    except ValueError:
        print("a pause is a number", file=sys.stderr)
        return 2
    except Refused as problem:
        print(problem)
        return problem.code
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
