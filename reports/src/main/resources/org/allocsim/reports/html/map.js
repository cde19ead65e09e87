/* The segment map: all that is held at the time cursor, drawn as lines of a strip. */

/** Colours of the largest lines, wherever they are drawn; red is left to failures and light blue to reserved memory. */
const LINE_COLOURS = Array.from({ length: 10 }, (_, i) => '--line-' + i);
const AGE_COLOURS = ['--age-0', '--age-1', '--age-2', '--age-3', '--age-4'];
const AGE_NAMES = ['allocated within the last 0.1 % of the events', '1 %', '10 %', '50 %', 'longer ago'];
const LINE = 17;
const GAP = 4;
const GUTTER = AXIS;
const RIGHT = EDGE;

class SegmentMap {
  /** `canvas` is drawn on; `onBlock` is called with the block that the reader points at or chose. */
  constructor(canvas, onBlock) {
    this.canvas = canvas;
    this.onBlock = onBlock;
    this.layout = null;
    this.scheme = 'line';
    this.matches = always;
    this.isFiltered = false;
    /** A request that failed at the moment on the map, as [bytes, name]; it is drawn below what is held. */
    this.failed = null;
    this.view = { from: 0, share: 1 };
    this.hover = -1;
    this.chosen = -1;
    this.frames = [];
    this.listen();
    new ResizeObserver(() => this.schedule()).observe(canvas.parentElement);
  }

  show(layout) {
    this.layout = layout;
    this.clamp();
    this.schedule();
  }

  lines() {
    return Math.max(4, Math.floor((this.canvas.clientHeight - 4) / (LINE + GAP)));
  }

  width() {
    return Math.max(50, this.canvas.clientWidth - GUTTER - RIGHT);
  }

  bytesPerLine() {
    return Math.max(1, (this.layout.total * this.view.share) / (this.lines() - this.failedLines()));
  }

  /** Lines below the map that a failed request needs to its scale; none where only a part of the map is in view. */
  failedLines() {
    if (!this.failed || !this.layout || !this.layout.total || this.view.share < 1) return 0;
    const [bytes] = this.failed;
    const lines = this.lines();
    for (let own = 2; own < lines / 2; own++) {
      // One line stays free between them.
      if (bytes / (own - 1) <= this.layout.total / (lines - own)) return own;
    }
    return Math.floor(lines / 2);
  }

  clamp() {
    if (!this.layout) return;
    this.view.share = Math.min(1, Math.max(this.view.share, 4096 / Math.max(4096, this.layout.total)));
    const last = this.layout.total * (1 - this.view.share);
    this.view.from = Math.min(last, Math.max(0, this.view.from));
  }

  schedule() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  /** Names and colours of the present scheme. */
  legend() {
    const free = { name: 'free, cached by the allocator', colour: '--free' };
    if (this.scheme === 'state') {
      return [
        { name: 'in use', colour: '--blue' },
        { name: 'freed, waiting for a stream', colour: '--orange' },
        free,
      ];
    }
    if (this.scheme === 'age') {
      return [...AGE_NAMES.map((name, i) => ({ name, colour: AGE_COLOURS[i] })), free];
    }
    if (this.scheme === 'category') {
      const names = this.layout ? this.layout.run.trace.about.categories : [];
      return [...names.map((name, i) => ({ name, colour: CATEGORY_COLOURS[i] })), free];
    }
    if (this.scheme === 'stream') {
      const used = new Set(this.layout ? Array.from(this.layout.blocks, (b) => this.layout.run.trace.stream[b]) : []);
      return [
        ...[...used].sort((a, b) => a - b).slice(0, 12).map((stream) => ({
          name: 'stream ' + this.layout.run.trace.streamName(stream),
          colour: this.streamColour(stream),
        })),
        free,
      ];
    }
    // The list of lines has their colours.
    return [{ name: 'other lines', colour: '--other' }, free];
  }

  streamColour(stream) {
    return LINE_COLOURS[(stream + LINE_COLOURS.length) % LINE_COLOURS.length];
  }

  colourName(block) {
    const { run, at } = this.layout;
    const { trace } = run;
    if (this.scheme === 'state') return run.freed[block] > at ? '--blue' : '--orange';
    if (this.scheme === 'category') return CATEGORY_COLOURS[trace.category[block]];
    if (this.scheme === 'stream') return this.streamColour(trace.stream[block]);
    if (this.scheme === 'age') {
      const age = (at - trace.birth[block]) / trace.events;
      return AGE_COLOURS[age <= 0.001 ? 0 : age <= 0.01 ? 1 : age <= 0.1 ? 2 : age <= 0.5 ? 3 : 4];
    }
    return trace.lineColour(trace.lineOf[trace.stack[block]]);
  }

  draw() {
    const start = performance.now();
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.palette = new Map();
    if (this.layout && this.layout.total > 0) this.drawStrip(ctx);
    else this.drawEmpty(ctx);
    this.frames.push(performance.now() - start);
    if (this.frames.length > 240) this.frames.shift();
  }

  drawEmpty(ctx) {
    ctx.fillStyle = colour('--ink-soft');
    ctx.font = '14px system-ui, sans-serif';
    ctx.fillText('No memory is reserved at this moment.', GUTTER, 30);
  }

  paint(name) {
    if (!this.palette.has(name)) this.palette.set(name, colour(name));
    return this.palette.get(name);
  }

  /** Calls back with x, y and width of every line that a part of the strip covers. */
  parts(from, to, call) {
    const perLine = this.bytesPerLine();
    const lines = this.lines() - this.failedLines();
    const scale = this.width() / perLine;
    const a = from - this.view.from;
    const b = to - this.view.from;
    const last = Math.min(lines - 1, Math.ceil(b / perLine) - 1);
    for (let line = Math.max(0, Math.floor(a / perLine)); line <= last; line++) {
      const x0 = Math.max(0, a - line * perLine) * scale;
      const x1 = Math.min(perLine, b - line * perLine) * scale;
      call(GUTTER + x0, 2 + line * (LINE + GAP), x1 - x0);
    }
  }

  drawStrip(ctx) {
    const { layout } = this;
    const perLine = this.bytesPerLine();
    const end = this.view.from + perLine * (this.lines() - this.failedLines());
    this.drawGutter(ctx, perLine);
    let first = above(layout.offsets, this.view.from) - 1;
    if (first < 0) first = 0;
    ctx.fillStyle = this.paint('--free');
    for (let i = first; i < layout.segments.length && layout.segments[i].offset < end; i++) {
      const s = layout.segments[i];
      this.parts(s.offset, s.offset + s.bytes, (x, y, w) => ctx.fillRect(x, y, w, LINE));
    }
    for (let i = first; i < layout.segments.length && layout.segments[i].offset < end; i++) {
      this.drawBlocks(ctx, layout.segments[i], end);
    }
    this.drawBounds(ctx, first, end);
    this.drawFailed(ctx, perLine);
    this.outline(ctx, this.chosen, 2.5);
    if (this.hover !== this.chosen) this.outline(ctx, this.hover, 1.5);
  }

  drawGutter(ctx, perLine) {
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = this.paint('--ink-soft');
    for (let line = 0; line < this.lines() - this.failedLines(); line++) {
      const at = this.view.from + line * perLine;
      if (at < this.layout.total) {
        ctx.fillText(axisBytes(at, perLine), GUTTER - 8, 2 + line * (LINE + GAP) + LINE / 2);
      }
    }
  }

  drawBlocks(ctx, segment, end) {
    const { layout } = this;
    const { run, blocks } = layout;
    const perPixel = this.bytesPerLine() / this.width();
    const shift = segment.offset - segment.start;
    let paintedTo = -Infinity;
    let fill = '';
    let i = segment.first;
    if (segment.offset < this.view.from) {
      const address = this.view.from - shift;
      let low = segment.first;
      let high = segment.end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (run.address[blocks[middle]] + run.block[blocks[middle]] <= address) low = middle + 1;
        else high = middle;
      }
      i = low;
    }
    for (; i < segment.end; i++) {
      const block = blocks[i];
      const from = run.address[block] + shift;
      if (from >= end) break;
      const to = from + run.block[block];
      // A block that ends inside a pixel that is painted already cannot be seen.
      if (to - paintedTo < perPixel / 2) continue;
      const name = this.isFiltered && !this.matches(block) ? '--dimmed' : this.colourName(block);
      if (name !== fill) {
        fill = name;
        ctx.fillStyle = this.paint(name);
      }
      this.parts(from, to, (x, y, w) => {
        ctx.fillRect(x, y, w > 3 ? w - 0.6 : Math.max(0.7, w), LINE);
      });
      paintedTo = Math.max(to, from + 0.7 * perPixel);
    }
  }

  /** The request that found no room, hatched and to the scale of the map. */
  drawFailed(ctx, perLine) {
    const own = this.failedLines();
    if (own === 0) return;
    const [bytes, name] = this.failed;
    const first = this.lines() - own + 1;
    const width = this.width();
    let left = bytes;
    for (let line = first; line < this.lines() && left > 0; line++) {
      const w = (Math.min(left, perLine) / perLine) * width;
      const y = 2 + line * (LINE + GAP);
      ctx.save();
      ctx.beginPath();
      ctx.rect(GUTTER, y, Math.max(2, w), LINE);
      ctx.clip();
      ctx.strokeStyle = this.paint('--vermillion');
      ctx.lineWidth = 3;
      ctx.beginPath();
      for (let x = -LINE; x < w; x += 8) {
        ctx.moveTo(GUTTER + x, y + LINE);
        ctx.lineTo(GUTTER + x + LINE, y);
      }
      ctx.stroke();
      ctx.restore();
      ctx.strokeStyle = this.paint('--vermillion');
      ctx.lineWidth = 1.5;
      ctx.strokeRect(GUTTER + 0.75, y + 0.75, Math.max(1, w - 1.5), LINE - 1.5);
      left -= perLine;
    }
    const isCut = left > 0;
    ctx.font = '12px system-ui, sans-serif';
    const text = `failed: ${bytesText(bytes)} ${name}${isCut ? ' (cut off here)' : ''}`;
    const label = Math.min(width, ctx.measureText(text).width + 14);
    const y = 2 + first * (LINE + GAP);
    ctx.fillStyle = this.paint('--paper');
    ctx.fillRect(GUTTER + 10, y + 1, label, LINE - 2);
    ctx.fillStyle = this.paint('--vermillion-text');
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, GUTTER + 17, y + LINE / 2 + 0.5, width - 20);
  }

  /** A line where a segment begins. */
  drawBounds(ctx, first, end) {
    ctx.fillStyle = this.paint('--ink');
    const perPixel = this.bytesPerLine() / this.width();
    for (let i = first; i < this.layout.segments.length; i++) {
      const s = this.layout.segments[i];
      if (s.offset >= end) break;
      if (s.bytes < 4 * perPixel) continue;
      if (s.offset >= this.view.from) {
        this.parts(s.offset, s.offset + perPixel / 100, (x, y) =>
          ctx.fillRect(x - 0.75, y - 2, 1.5, LINE + 4),
        );
      }
    }
  }

  outline(ctx, block, width) {
    if (block < 0) return;
    const from = this.layout.offsetOf(block);
    if (Number.isNaN(from)) return;
    ctx.strokeStyle = this.paint('--ink');
    ctx.lineWidth = width;
    this.parts(from, from + Math.max(1, this.layout.run.block[block]), (x, y, w) =>
      ctx.strokeRect(x - 1, y - 1, Math.max(3, w + 1), LINE + 2),
    );
  }

  /** Place of the strip under a point of the canvas; NaN beside the lines. */
  offsetAt(x, y) {
    const line = Math.floor((y - 2) / (LINE + GAP));
    const along = (x - GUTTER) / this.width();
    if (!this.layout || along < 0 || along >= 1 || line < 0 || line >= this.lines() - this.failedLines()) return NaN;
    if (y - 2 - line * (LINE + GAP) > LINE) return NaN;
    return this.view.from + (line + along) * this.bytesPerLine();
  }

  /** Middle of a block's first line, on the canvas; null if it is not in view. */
  pointOf(block) {
    const from = this.layout.offsetOf(block);
    let point = null;
    this.parts(from, from + this.layout.run.block[block], (x, y, w) => {
      if (!point) point = { x: x + w / 2, y: y + LINE / 2 };
    });
    return point;
  }

  zoom(factor, around) {
    const before = this.view.share;
    const middle = around ?? this.view.from + (this.layout.total * before) / 2;
    this.view.share = before * factor;
    this.clamp();
    this.view.from = middle - (middle - this.view.from) * (this.view.share / before);
    this.clamp();
    this.schedule();
  }

  pan(lines) {
    this.view.from += lines * this.bytesPerLine();
    this.clamp();
    this.schedule();
  }

  reset() {
    this.view = { from: 0, share: 1 };
    this.schedule();
  }

  choose(block) {
    this.chosen = block;
    if (block >= 0 && this.layout) {
      const from = this.layout.offsetOf(block);
      const span = this.layout.total * this.view.share;
      if (from < this.view.from || from >= this.view.from + span) {
        this.view.from = from - span / 2;
        this.clamp();
      }
    }
    this.schedule();
  }

  /** The next block by address that passes the filter. */
  neighbour(step) {
    const { blocks } = this.layout;
    if (blocks.length === 0) return -1;
    let place = blocks.indexOf(this.chosen);
    if (place < 0) place = step > 0 ? -1 : blocks.length;
    for (let i = place + step; i >= 0 && i < blocks.length; i += step) {
      if (this.matches(blocks[i])) return blocks[i];
    }
    return this.chosen;
  }

  listen() {
    const { canvas } = this;
    let down = null;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      down = { y: event.clientY, from: this.view.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.layout) return;
      if (down) {
        const moved = event.clientY - down.y;
        if (Math.abs(moved) > 3) down.moved = true;
        if (down.moved) {
          this.view.from = down.from - (moved / (LINE + GAP)) * this.bytesPerLine();
          this.clamp();
          this.schedule();
        }
        return;
      }
      const offset = this.offsetAt(...place(event));
      const segment = Number.isNaN(offset) ? null : this.layout.segmentAt(offset);
      const block = segment ? this.layout.blockAt(offset) : -1;
      if (block !== this.hover) {
        this.hover = block;
        this.schedule();
      }
      this.onBlock('hover', block, segment, event);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (down && !down.moved && this.layout) {
        const offset = this.offsetAt(...place(event));
        const block = Number.isNaN(offset) ? -1 : this.layout.blockAt(offset);
        this.onBlock('choose', block, null, event);
      }
      down = null;
    });
    canvas.addEventListener('pointercancel', () => (down = null));
    canvas.addEventListener('pointerleave', (event) => {
      this.hover = -1;
      this.onBlock('hover', -1, null, event);
      this.schedule();
    });
    canvas.addEventListener('dblclick', () => this.reset());
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!this.layout || !(event.ctrlKey || document.activeElement === canvas)) return;
        event.preventDefault();
        const offset = this.offsetAt(...place(event));
        this.zoom(2 ** (event.deltaY / 300), Number.isNaN(offset) ? undefined : offset);
      },
      { passive: false },
    );
  }
}
