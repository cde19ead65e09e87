/* What is held at one moment, as a strip: segment after segment, with their blocks. */

/** Names a segment's origin. */
function segmentName(segment) {
  if (segment.isOutside) return 'outside any segment';
  const pool = segment.kind & 1 ? 'small' : 'large';
  const kind = segment.kind >> 1 === MAPPED ? 'expandable segment' : 'segment';
  return `${kind}, ${pool} pool`;
}

const ORDERS = {
  age: (a, b) => a.born - b.born || a.start - b.start,
  address: (a, b) => a.start - b.start,
  size: (a, b) => b.bytes - a.bytes || a.start - b.start,
};

/** Neighbouring mapped memory is one expandable segment. */
function joined(pieces) {
  const sorted = pieces.slice().sort((a, b) => a.start - b.start);
  const segments = [];
  for (const piece of sorted) {
    const last = segments.at(-1);
    if (
      last &&
      piece.kind >> 1 === MAPPED &&
      piece.kind === last.kind &&
      piece.stream === last.stream &&
      last.start + last.bytes === piece.start
    ) {
      last.bytes += piece.bytes;
      last.born = Math.min(last.born, piece.born);
    } else {
      segments.push({ ...piece, isOutside: false, first: 0, end: 0 });
    }
  }
  return segments;
}

class Layout {
  /** What a run holds after the request at a position. */
  constructor(run, at, order) {
    this.run = run;
    this.at = at;
    const { address, block } = run;
    this.blocks = Int32Array.from(run.aliveBlocks(at)).sort((a, b) => address[a] - address[b]);
    this.segments = this.place(joined(run.alivePieces(at)), address, block);
    this.segments.sort(ORDERS[order]);
    this.total = 0;
    for (const segment of this.segments) {
      segment.offset = this.total;
      this.total += segment.bytes;
    }
    this.offsets = Float64Array.from(this.segments, (segment) => segment.offset);
  }

  /** Gives every segment its blocks; blocks outside get segments of their own. */
  place(segments, address, block) {
    const all = [];
    let next = 0;
    const takeOutside = (before) => {
      let outside = null;
      while (next < this.blocks.length && address[this.blocks[next]] < before) {
        const number = this.blocks[next];
        const start = address[number];
        const end = start + block[number];
        if (!outside || start > outside.start + outside.bytes) {
          outside = {
            start, bytes: 0, born: this.run.trace.birth[number], kind: 0,
            stream: this.run.trace.stream[number], isOutside: true, first: next, end: next,
          };
          all.push(outside);
        }
        outside.bytes = Math.max(outside.bytes, end - outside.start);
        outside.end = ++next;
      }
    };
    for (const segment of segments) {
      takeOutside(segment.start);
      segment.first = next;
      const end = segment.start + segment.bytes;
      while (next < this.blocks.length && address[this.blocks[next]] < end) next++;
      segment.end = next;
      all.push(segment);
    }
    takeOutside(Infinity);
    return all.filter((segment) => segment.bytes > 0);
  }

  segmentAt(offset) {
    if (offset < 0 || offset >= this.total) return null;
    return this.segments[above(this.offsets, offset) - 1];
  }

  /** The block at a place of the strip, −1 for free memory. */
  blockAt(offset) {
    const segment = this.segmentAt(offset);
    if (!segment) return -1;
    const wanted = segment.start + offset - segment.offset;
    let low = segment.first;
    let high = segment.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.run.address[this.blocks[middle]] <= wanted) low = middle + 1;
      else high = middle;
    }
    if (low === segment.first) return -1;
    const found = this.blocks[low - 1];
    return wanted < this.run.address[found] + this.run.block[found] ? found : -1;
  }

  segmentOf(block) {
    const place = this.blocks.indexOf(block);
    return place < 0
      ? null
      : this.segments.find((segment) => segment.first <= place && place < segment.end);
  }

  /** Where on the strip a block begins; NaN if it is not held. */
  offsetOf(block) {
    const segment = this.segmentOf(block);
    return segment ? segment.offset + this.run.address[block] - segment.start : NaN;
  }

  /** Bytes of blocks by a number that each of them has, such as that of its stack; the highest first. */
  holders(matches, keyOf) {
    const byKey = new Map();
    for (const number of this.blocks) {
      if (!matches(number)) continue;
      const key = keyOf(number);
      const holder = byKey.get(key) || { key, blocks: 0, bytes: 0 };
      holder.blocks++;
      holder.bytes += this.run.block[number];
      byKey.set(key, holder);
    }
    return [...byKey.values()].sort((a, b) => b.bytes - a.bytes || a.key - b.key);
  }

  /** The largest piece of free memory inside a segment. */
  largestFree() {
    let most = 0;
    for (const segment of this.segments) {
      if (segment.isOutside) continue;
      let end = segment.start;
      for (let i = segment.first; i < segment.end; i++) {
        const block = this.blocks[i];
        most = Math.max(most, this.run.address[block] - end);
        end = Math.max(end, this.run.address[block] + this.run.block[block]);
      }
      most = Math.max(most, segment.start + segment.bytes - end);
    }
    return most;
  }

  /** Sums over all that is held. */
  totals() {
    let inUse = 0;
    let waiting = 0;
    let requested = 0;
    for (const number of this.blocks) {
      if (this.run.freed[number] > this.at) inUse += this.run.block[number];
      else waiting += this.run.block[number];
      requested += this.run.trace.size[number];
    }
    const held = this.segments.reduce((sum, s) => sum + (s.isOutside ? 0 : s.bytes), 0);
    return { held, inUse, waiting, requested, free: held - inUse - waiting };
  }
}
