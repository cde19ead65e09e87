/* What fills memory over time, in layers: by category, by stack, or the largest allocations each for itself. */

const LAYERS = 7;
const LARGEST = 200;
const LAYER_HEIGHT = 220;

/** Names and colours of the categories. */
const CATEGORY_COLOURS = ['--blue', '--green', '--purple', '--sky', '--orange', '--vermillion', '--yellow', '--mint', '--other'];

/** Which layer each block is in; 0 is the lowest. The last layer takes all others. */
function layersOf(trace, run, by, { from, to }) {
  const n = trace.birth.length;
  const layer = new Uint16Array(n);
  if (by === 'category') {
    for (let i = 0; i < n; i++) layer[i] = trace.category[i];
    return { layer, names: trace.about.categories, colours: CATEGORY_COLOURS };
  }
  const weight = new Map();
  const lived = (i) => trace.size[i] * Math.max(0, Math.min(to, run.done[i]) - Math.max(from, trace.birth[i]));
  if (by === 'stack') {
    for (let i = 0; i < n; i++) weight.set(trace.stack[i], (weight.get(trace.stack[i]) || 0) + lived(i));
    const top = [...weight].filter(([, w]) => w > 0).sort((a, b) => b[1] - a[1]).slice(0, LAYERS).map(([stack]) => stack);
    const place = new Map(top.map((stack, i) => [stack, i]));
    for (let i = 0; i < n; i++) layer[i] = place.get(trace.stack[i]) ?? top.length;
    return {
      layer,
      names: [...top.map((stack) => trace.about.stacks[stack] || 'stack not recorded'), 'other stacks'],
      colours: [...STACK_COLOURS.slice(0, top.length), '--other'],
    };
  }
  const sizes = new Float64Array(n);
  for (let i = 0; i < n; i++) sizes[i] = lived(i);
  const least = Float64Array.from(sizes).sort()[Math.max(0, n - LARGEST)];
  const top = [];
  for (let i = 0; i < n && top.length < LARGEST; i++) if (sizes[i] > 0 && sizes[i] >= least) top.push(i);
  layer.fill(0);
  top.forEach((block, i) => (layer[block] = i + 1));
  return {
    layer,
    blocks: [-1, ...top],
    names: ['all others', ...top.map((block) => `${bytesText(trace.size[block])}, ${trace.stackName(block) || 'stack not recorded'}`)],
    colours: ['--other', ...top.map((block) => STACK_COLOURS[trace.stack[block] % STACK_COLOURS.length])],
  };
}

/** Bytes of every layer at the begin of every pixel. */
function layerSums(trace, run, layers, { from, to }, pixels) {
  const count = layers.names.length;
  const sums = new Float64Array(count * (pixels + 1));
  const scale = pixels / (to - from);
  for (let i = 0; i < trace.birth.length; i++) {
    const end = run.done[i];
    if (end <= from || trace.birth[i] >= to) continue;
    const a = Math.max(0, Math.ceil((trace.birth[i] - from) * scale));
    const b = Math.min(pixels, Math.max(a + 1, Math.ceil((end - from) * scale)));
    const row = layers.layer[i] * (pixels + 1);
    sums[row + a] += trace.size[i];
    sums[row + b] -= trace.size[i];
  }
  for (let row = 0; row < sums.length; row += pixels + 1) {
    for (let x = 1; x <= pixels; x++) sums[row + x] += sums[row + x - 1];
  }
  return sums;
}

class StackedChart {
  constructor(canvas, legend, timeline) {
    this.canvas = canvas;
    this.legend = legend;
    this.timeline = timeline;
    this.by = 'category';
    new ResizeObserver(() => this.schedule()).observe(canvas.parentElement);
  }

  show(run, onBlock) {
    this.run = run;
    this.onBlock = onBlock;
    this.schedule();
  }

  /** Draws once the view has come to rest, as every block is looked at. */
  schedule() {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.draw(), 40);
  }

  draw() {
    const { canvas, run } = this;
    if (!run || !run.isWhole) return;
    const start = performance.now();
    const ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(LAYER_HEIGHT * ratio);
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pixels = Math.max(50, Math.floor(width - AXIS - EDGE));
    const { view } = this.timeline;
    const layers = layersOf(run.trace, run, this.by, view);
    const sums = layerSums(run.trace, run, layers, view, pixels);
    this.drawLayers(ctx, layers, sums, pixels);
    this.drawn = { layers, sums, pixels, view: { ...view } };
    this.showLegend(layers, sums, pixels);
    this.millis = performance.now() - start;
  }

  drawLayers(ctx, layers, sums, pixels) {
    const below = new Float64Array(pixels);
    let top = 1;
    for (let x = 0; x < pixels; x++) {
      let sum = 0;
      for (let layer = 0; layer < layers.names.length; layer++) sum += sums[layer * (pixels + 1) + x];
      top = Math.max(top, sum);
    }
    const scale = (LAYER_HEIGHT - 12) / top;
    this.scale = scale;
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    const ticks = byteTicks(top, 4);
    for (const tick of ticks) {
      const y = LAYER_HEIGHT - tick * scale - 1;
      ctx.fillStyle = colour('--grid');
      ctx.fillRect(AXIS, y, pixels, 1);
      ctx.fillStyle = colour('--ink-soft');
      ctx.fillText(axisBytes(tick, ticks[1] || tick), AXIS - 8, Math.max(8, Math.min(LAYER_HEIGHT - 7, y)));
    }
    const isFine = this.by === 'allocation';
    const paper = colour('--paper');
    for (let layer = 0; layer < layers.names.length; layer++) {
      ctx.fillStyle = colour(layers.colours[layer]);
      const row = layer * (pixels + 1);
      for (let x = 0; x < pixels; ) {
        const bytes = sums[row + x];
        let end = x + 1;
        while (end < pixels && sums[row + end] === bytes && below[end] === below[x]) end++;
        if (bytes > 0) {
          const y = LAYER_HEIGHT - (below[x] + bytes) * scale;
          const height = bytes * scale;
          ctx.fillRect(AXIS + x, y, end - x, Math.max(0.4, height));
          if (isFine && height > 3) {
            ctx.fillStyle = paper;
            ctx.fillRect(AXIS + x, y, end - x, 0.7);
            ctx.fillStyle = colour(layers.colours[layer]);
          }
        }
        for (let i = x; i < end; i++) below[i] += bytes;
        x = end;
      }
    }
    const at = ((this.timeline.cursor + 0.5 - this.timeline.view.from) / (this.timeline.view.to - this.timeline.view.from)) * pixels;
    if (at >= 0 && at <= pixels) {
      ctx.fillStyle = colour('--ink');
      ctx.fillRect(AXIS + at, 0, 1.5, LAYER_HEIGHT);
    }
  }

  /** Bytes of a layer at the time cursor. */
  atCursor(layer) {
    const { sums, pixels, view } = this.drawn;
    const x = Math.floor(((this.timeline.cursor + 0.5 - view.from) / (view.to - view.from)) * pixels);
    return x < 0 || x >= pixels ? 0 : sums[layer * (pixels + 1) + x];
  }

  showLegend(layers, sums, pixels) {
    const shown = this.by === 'allocation' ? [] : layers.names.map((name, i) => i);
    const peaks = layers.names.map((name, i) => sums.subarray(i * (pixels + 1), (i + 1) * (pixels + 1)).reduce((a, b) => Math.max(a, b), 0));
    this.legend.replaceChildren(
      ...shown
        .filter((i) => peaks[i] > 0)
        .map((i) => {
          const swatch = element('i', { className: 'swatch area' });
          swatch.style.setProperty('--swatch', `var(${layers.colours[i]})`);
          return element('li', { title: layers.names[i] }, swatch, element('span', {}, layers.names[i]), ' ', element('small', {}, 'at most ' + bytesText(peaks[i])));
        }),
      ...(this.by === 'allocation'
        ? [element('li', {}, `The ${countText(layers.names.length - 1)} allocations with the most bytes × lifetime in view, in colours of their stacks; grey: all others.`)]
        : []),
    );
  }
}
