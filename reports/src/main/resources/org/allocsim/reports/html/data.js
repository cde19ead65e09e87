/* Recorded runs: columns of numbers, and the indexes that find what is alive at a moment. */

/** An element of the page, once the browser has read all of it. */
async function whenRead(id) {
  for (;;) {
    const found = document.getElementById(id);
    if (found && (found.nextSibling || document.readyState !== 'loading')) return found;
    if (document.readyState === 'complete') throw new Error('the page is cut off: there is no ' + id);
    await new Promise((resume) => setTimeout(resume, 8));
  }
}

/** The inflated bytes of an element of the page. */
async function inflate(id) {
  const text = (await whenRead(id)).textContent;
  const packed = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Long work is a generator that yields now and then. */
const STRETCH = 1 << 15;
const MAX_MILLIS = 10;

/** Runs it through. */
function atOnce(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Lets the page answer its reader; timers would wait for longer. */
function pause() {
  return new Promise((resume) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume();
    };
    port2.postMessage(null);
  });
}

/** Runs it in pieces, between which the page answers its reader; null where it is not wanted any more. */
async function gently(work, isStale = () => false) {
  let start = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - start > MAX_MILLIS) {
      await pause();
      if (isStale()) return null;
      start = performance.now();
    }
  }
}

/** Calls for 0, 1, 2, … */
function* each(count, call) {
  for (let i = 0; i < count; ) {
    const end = Math.min(count, i + STRETCH);
    for (; i < end; i++) call(i);
    yield;
  }
}

/** Reads numbers of seven bits a byte. */
class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }

  signed() {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** First index of a sorted column whose value is greater. */
function above(sorted, value, length = sorted.length) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Finds those alive at a position among many that are sorted by birth. */
class LifeIndex {
  static *of(births, deaths) {
    const index = new LifeIndex(births, deaths);
    for (let below = deaths; below.length > 1; ) {
      const wide = below;
      const next = new Int32Array(Math.ceil(wide.length / 16));
      yield* each(next.length, (i) => {
        let latest = -1;
        const end = Math.min(wide.length, 16 * i + 16);
        for (let j = 16 * i; j < end; j++) if (wide[j] > latest) latest = wide[j];
        next[i] = latest;
      });
      index.levels.push(next);
      below = next;
    }
    return index;
  }

  constructor(births, deaths) {
    this.births = births;
    this.levels = [deaths];
  }

  /** Numbers of those born at or before a position and dead after it, in order of birth. */
  alive(at) {
    const found = [];
    const born = above(this.births, at);
    const visit = (level, node) => {
      if (this.levels[level][node] <= at) return;
      if (level === 0) {
        found.push(node);
        return;
      }
      const end = Math.min(this.levels[level - 1].length, 16 * node + 16);
      const span = 16 ** (level - 1);
      for (let child = 16 * node; child < end && child * span < born; child++) {
        visit(level - 1, child);
      }
    };
    if (born > 0) visit(this.levels.length - 1, 0);
    return found;
  }
}

/** What the stack of a block is called that was not recorded. */
const NO_STACK = 'stack not recorded';

/** The line of the program that a stack's label begins with: its innermost frame, or what stands for it. */
function lineOf(label) {
  const found = /^(\S+:\d+ .+?) < \S+:\d+ .*/.exec(label);
  return found ? found[1] : label || NO_STACK;
}

/** The same without its folder, for where there is little room. */
function shortLine(line) {
  return line.replace(/^[^\s:]*[/\\](?=[^\s/\\]+:\d+ )/, '');
}

/** The requests of one trace, which all its runs share. */
class Trace {
  static async load(number, about) {
    const trace = new Trace(about);
    await gently(trace.read(new Columns(await inflate('t' + number))));
    return trace;
  }

  constructor(about) {
    this.about = about;
    this.events = about.events;
    const n = about.blocks;
    this.birth = new Int32Array(n);
    this.free = new Int32Array(n);
    this.size = new Float64Array(n);
    this.stack = new Int32Array(n);
    this.stream = new Int16Array(n);
    this.full = new Int32Array(n);
    this.category = new Uint8Array(n);
    this.certainty = new Uint8Array(n);
    this.times = new Float64Array(Math.ceil(this.events / about.time_step));
    const lines = new Map();
    const numberOf = (line) => lines.get(line) ?? (lines.set(line, lines.size), lines.size - 1);
    /** The number of each stack's line. */
    this.lineOf = Int32Array.from(about.stacks, (label) => numberOf(lineOf(label)));
    /** Lines of the program that allocate. */
    this.lines = [...lines.keys()];
    /** Places among the colours of the largest lines, by number of a line. */
    this.places = new Map();
  }

  *read(columns) {
    const { birth, free, size, stack, stream, times } = this;
    const n = birth.length;
    let last = 0;
    yield* each(n, (i) => (birth[i] = last += columns.next()));
    yield* each(n, (i) => (free[i] = birth[i] + columns.next()));
    yield* each(n, (i) => (size[i] = columns.next()));
    yield* each(n, (i) => (stack[i] = columns.next()));
    const seen = new Uint8Array(1 << 16);
    yield* each(n, (i) => {
      stream[i] = columns.signed();
      seen[stream[i] & 0xffff] = 1;
    });
    /** Numbers of the streams that occur. */
    this.streams = [...Int16Array.from(seen.keys()).filter((s) => seen[s & 0xffff])].sort((a, b) => a - b);
    last = 0;
    yield* each(times.length, (i) => (times[i] = last += columns.signed()));
    yield* each(n, (i) => (this.full[i] = columns.next()));
    const certainties = this.about.certainties.length;
    yield* each(n, (i) => {
      const both = columns.next();
      this.category[i] = Math.floor(both / certainties);
      this.certainty[i] = both % certainties;
    });
    this.isTimed = times.length > 1 && times.at(-1) > 0;
  }

  /** Nanoseconds since the first request; between kept times, in proportion. */
  nanos(at) {
    const place = at / this.about.time_step;
    const low = Math.min(this.times.length - 1, Math.floor(place));
    const high = Math.min(this.times.length - 1, low + 1);
    return this.times[low] + (place - low) * (this.times[high] - this.times[low]);
  }

  stackName(block) {
    return this.about.stacks[this.stack[block]] || '';
  }

  /** Name of the line that asked for a block. */
  lineName(block) {
    return this.lines[this.lineOf[this.stack[block]]] ?? NO_STACK;
  }

  /** Colour of a line, the same wherever it is drawn. */
  lineColour(line) {
    const place = this.places.get(line);
    return place === undefined ? '--other' : LINE_COLOURS[place];
  }

  /** All frames, the innermost first. */
  fullStack(block) {
    return this.about.full_stacks[this.full[block]].map((frame) => this.about.frames[frame]);
  }

  categoryName(block) {
    return this.about.categories[this.category[block]];
  }

  certaintyName(block) {
    return this.about.certainties[this.certainty[block]];
  }

  /** Number of a block's request among allocations, as answers count them. */
  requestName(block) {
    const number = block - this.about.prologue_blocks;
    return number < 0 ? 'before the recording' : countText(number);
  }

  /** The block that is asked for at a position; −1 where none is. */
  blockAt(at) {
    const block = above(this.birth, at) - 1;
    return block >= 0 && this.birth[block] === at ? block : -1;
  }

  /** The request that is made at a position, as words that follow it. */
  requestAt(at) {
    const block = this.blockAt(at);
    return block >= 0 ? `, request ${this.requestName(block)}` : '';
  }

  /** The step that a position is in, as words that follow it. */
  stepAt(at) {
    const { begins } = this.about.steps;
    const step = begins.findLastIndex((begin) => begin <= at);
    return step >= 0 && step < begins.length - 1 ? `, step ${countText(step + 1)}` : '';
  }

  streamName(stream) {
    return stream < 0 ? 'unknown' : this.about.streams[stream] || String(stream);
  }
}

const MAPPED = 2;

/** Memory that was held from the device, in pieces without gaps. */
class Pieces {
  constructor() {
    this.start = [];
    this.bytes = [];
    this.from = [];
    this.to = [];
    this.born = [];
    this.kind = [];
    this.stream = [];
    this.held = new Map();
  }

  add(start, bytes, from, born, kind, stream, forever) {
    this.held.set(start, this.start.length);
    this.start.push(start);
    this.bytes.push(bytes);
    this.from.push(from);
    this.to.push(forever);
    this.born.push(born);
    this.kind.push(kind);
    this.stream.push(stream);
  }

  remove(start, bytes, at, forever) {
    const same = this.held.get(start);
    if (same !== undefined && this.bytes[same] === bytes) {
      this.to[same] = at;
      this.held.delete(start);
      return;
    }
    for (const [from, piece] of [...this.held]) {
      const end = from + this.bytes[piece];
      if (from >= start + bytes || end <= start) continue;
      this.to[piece] = at;
      this.held.delete(from);
      const rest = (a, b) =>
        this.add(a, b - a, at, this.born[piece], this.kind[piece], this.stream[piece], forever);
      if (from < start) rest(from, start);
      if (end > start + bytes) rest(start + bytes, end);
    }
  }

  /** Makes the columns fixed. */
  close() {
    this.start = Float64Array.from(this.start);
    this.bytes = Float64Array.from(this.bytes);
    this.from = Int32Array.from(this.from);
    this.to = Int32Array.from(this.to);
    this.held = null;
    this.index = atOnce(LifeIndex.of(this.from, this.to));
  }
}

/** One policy's run: where its blocks were and what it held. */
class Run {
  /** Everything that the page has of a run. */
  static async load(trace, about) {
    const run = new Run(trace, about, about.whole);
    if (about.whole) await gently(run.readWhole(new Columns(await inflate(about.id))));
    else await run.readKept();
    return run;
  }

  /** Memory over time in buckets, and what is held at its key moments: little to read. */
  static async preview(trace, about) {
    const run = new Run(trace, about, false);
    await run.readKept();
    return run;
  }

  constructor(trace, about, isWhole) {
    this.trace = trace;
    this.about = about;
    this.isWhole = isWhole;
    this.moments = Object.entries(about.moments).map(([name, at]) => ({ name, at }));
    const n = trace.about.blocks;
    this.address = new Float64Array(n);
    this.block = new Float64Array(n);
    this.freed = new Int32Array(n);
    this.done = new Int32Array(n);
  }

  async readKept() {
    const { about, trace } = this;
    const [timeline, moments] = await Promise.all([
      inflate(about.id + '-timeline'),
      inflate(about.id + '-moments'),
    ]);
    this.readMoments(new Columns(moments));
    this.series = bucketSeries(new Columns(timeline), about, trace.events);
  }

  *readWhole(columns) {
    const { trace, about, address, block, freed, done } = this;
    const n = trace.about.blocks;
    const unit = about.unit_bytes;
    const absent = new Uint8Array(n);
    let last = 0;
    yield* each(n, (i) => {
      const code = columns.next();
      if (code === 0) {
        absent[i] = 1;
      } else {
        const turned = code - 1;
        last += (turned % 2 === 0 ? turned / 2 : -(turned + 1) / 2) * unit;
        address[i] = last;
      }
    });
    yield* each(n, (i) => (block[i] = trace.size[i] + columns.signed()));
    yield* each(n, (i) => (freed[i] = trace.free[i] + columns.signed()));
    yield* each(n, (i) => {
      done[i] = freed[i] + columns.next();
      if (absent[i]) freed[i] = done[i] = -1;
    });
    yield* this.readChanges(columns, unit);
    this.index = yield* LifeIndex.of(trace.birth, done);
    this.series = yield* wholeSeries(this);
  }

  *readChanges(columns, unit) {
    const count = columns.next();
    const kinds = new Uint8Array(count);
    const events = new Int32Array(count);
    const starts = new Float64Array(count);
    const sizes = new Float64Array(count);
    let last = 0;
    yield* each(count, (i) => (kinds[i] = columns.next()));
    yield* each(count, (i) => (events[i] = last += columns.next()));
    last = 0;
    yield* each(count, (i) => (starts[i] = last += columns.signed() * unit));
    yield* each(count, (i) => (sizes[i] = columns.next() * unit));
    this.changes = { kinds, events, sizes };
    this.pieces = new Pieces();
    const forever = this.trace.events;
    yield* each(count, (i) => {
      const kind = kinds[i];
      const stream = columns.signed();
      if ((kind >> 1) % 2 === 0) {
        this.pieces.add(starts[i], sizes[i], events[i], events[i], kind, stream, forever);
      } else {
        this.pieces.remove(starts[i], sizes[i], events[i], forever);
      }
    });
    this.pieces.close();
  }

  readMoments(columns) {
    const { trace, about } = this;
    const unit = about.unit_bytes;
    this.kept = new Map();
    for (const { at } of this.moments) {
      const blocks = [];
      const count = columns.next();
      for (let i = 0, block = 0; i < count; i++) {
        block += columns.next();
        blocks.push(block);
        this.address[block] = columns.next() * unit;
        this.block[block] = trace.size[block] + columns.signed();
        this.freed[block] = trace.free[block] + columns.signed();
        this.done[block] = this.freed[block] + columns.next();
      }
      const pieces = [];
      const segments = columns.next();
      for (let i = 0; i < segments; i++) {
        pieces.push({
          start: columns.next() * unit,
          bytes: columns.next() * unit,
          born: columns.next(),
          kind: columns.next(),
          stream: columns.signed(),
        });
      }
      this.kept.set(at, { blocks, pieces });
    }
  }

  /** The position nearest to one at which all is known. */
  known(at) {
    if (this.isWhole) return at;
    return this.moments.reduce((a, b) => (Math.abs(b.at - at) < Math.abs(a.at - at) ? b : a)).at;
  }

  /** Blocks that are held after a request. */
  aliveBlocks(at) {
    return this.isWhole ? this.index.alive(at) : this.kept.get(at).blocks;
  }

  /** Memory that is held after a request. */
  alivePieces(at) {
    if (!this.isWhole) return this.kept.get(at).pieces;
    const p = this.pieces;
    return p.index.alive(at).map((i) => ({
      start: p.start[i],
      bytes: p.bytes[i],
      born: p.born[i],
      kind: p.kind[i],
      stream: p.stream[i],
    }));
  }

  addressText(address) {
    return '0x' + (BigInt(this.about.base_address) + BigInt(address)).toString(16);
  }
}
