#!/usr/bin/env bash
# Sends the sequences of calls-BYTES.txt.xz, for a GPU of so many bytes, to PyTorch's allocator on this machine's GPU, then the same ones on the stand-in for a
# GPU with the addresses that the driver gave, compares the two, and packs what the GPU showed:
#
#   run.sh OUT [JOBS]      needs a C compiler and python3 with PyTorch for CUDA 12 or 13; OUT is made where missing
set -eu
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
out=$(CDPATH='' cd -P -- "$1" && pwd)
jobs=${2:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gpu" "$work/standin" "$work/lib"
cc -O2 -shared -fPIC -o "$work/hold.so" "$here/hold.c" -ldl
cc -std=gnu11 -O2 -shared -fPIC -fvisibility=hidden -pthread -Wl,-soname,libcuda.so.1 "$here/standin.c" \
  -o "$work/lib/libcuda.so.1"
ln -s libcuda.so.1 "$work/lib/libnvidia-ml.so.1"
bytes=$(python3 -c 'import torch; print(torch.cuda.get_device_properties(0).total_memory)')
[ -f "$here/calls-$bytes.txt.xz" ] || { echo "there is no calls-$bytes.txt.xz for this GPU"; exit 1; }
xz -dc "$here/calls-$bytes.txt.xz" >"$work/calls.txt"
export PYTHONDONTWRITEBYTECODE=1 CUDA_DEVICE_MAX_CONNECTIONS=32
unset PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF
echo "on the GPU, from $(date +%T)" | tee "$out/log.txt"
LD_PRELOAD="$work/hold.so" python3 "$here/gpu_calls.py" "$work/calls.txt" "$jobs" 120 "$work/gpu" \
  >"$work/gpu.txt" 2>"$work/gpu-errors.txt" || true
grep -v '^done' "$work/gpu.txt" | head -40 | tee -a "$out/log.txt"
tail -n 5 "$work/gpu-errors.txt" | tee -a "$out/log.txt"
echo "on the stand-in, from $(date +%T)" | tee -a "$out/log.txt"
LD_PRELOAD="$work/lib/libcuda.so.1" LD_LIBRARY_PATH="$work/lib:${LD_LIBRARY_PATH:-}" \
  python3 "$here/gpu_calls.py" "$work/calls.txt" 16 120 "$work/standin" "$work/gpu" \
  >"$work/standin.txt" 2>"$work/standin-errors.txt" || true
grep -v '^done' "$work/standin.txt" | head -40 | tee -a "$out/log.txt"
tail -n 5 "$work/standin-errors.txt" | tee -a "$out/log.txt"
echo "compared, from $(date +%T)" | tee -a "$out/log.txt"
python3 "$here/compare.py" "$work/gpu" "$work/standin" | tee -a "$out/log.txt"
head -n 1 "$work/gpu.txt" >"$work/gpu/torch"
echo "$bytes" >"$work/gpu/bytes"
# Parts of at most 16 MiB.
cd "$work/gpu"
for part in 0 1 2 3 4 5 6; do
  ls | awk -v part=$part 'NR % 7 == part' | tar -cf - -T - | xz -3 >"$out/gpu-$part.tar.xz" &
done
wait
echo "packed, $(date +%T)" | tee -a "$out/log.txt"
