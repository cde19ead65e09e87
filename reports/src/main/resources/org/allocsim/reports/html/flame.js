/* Stacks as a tree: each box is as wide as the bytes that its frame and those it called hold. */

const FLAME_ROW = 22;
const FLAME_LEAST = 2;
const FLAME_ROWS = 40;

/** Adds a weight to all boxes of a path. */
function addPath(root, names, weight, blocks) {
  let node = root;
  node.weight += weight;
  node.blocks += blocks;
  for (const name of names) {
    if (!node.children.has(name)) node.children.set(name, { name, weight: 0, blocks: 0, children: new Map() });
    node = node.children.get(name);
    node.weight += weight;
    node.blocks += blocks;
  }
}

/** The tree of stacks, outermost frame first, with the weight of every block given. */
function flameTree(trace, blocks, weight, byCategory) {
  const root = { name: 'all', weight: 0, blocks: 0, children: new Map() };
  const { frames, full_stacks: stacks, categories } = trace.about;
  const totals = new Map();
  for (const block of blocks) {
    const key = trace.full[block] * 16 + (byCategory ? trace.category[block] : 0);
    const total = totals.get(key) || { stack: trace.full[block], category: trace.category[block], weight: 0, blocks: 0 };
    total.weight += weight(block);
    total.blocks++;
    totals.set(key, total);
  }
  for (const total of totals.values()) {
    const depths = stacks[total.stack];
    const path = depths.length ? depths.map((frame) => frames[frame]).reverse() : ['stack not recorded'];
    addPath(root, byCategory ? [categories[total.category], ...path] : path, total.weight, total.blocks);
  }
  return root;
}

class FlameGraph {
  constructor(holder, facts) {
    this.holder = holder;
    this.facts = facts;
    this.path = [];
    /** Boxes that are drawn. */
    this.count = 0;
    holder.addEventListener('keydown', (event) => this.key(event));
    holder.addEventListener('click', (event) => this.click(event));
    holder.addEventListener('focusin', (event) => this.describe(event.target.node));
    holder.addEventListener('pointerover', (event) => this.describe(event.target.node));
    new ResizeObserver(() => this.draw()).observe(holder.parentElement);
  }

  /** `format` writes a weight. */
  show(root, format) {
    this.root = root;
    this.format = format;
    this.draw();
  }

  /** The node that the path leads to, as far as it exists. */
  focus() {
    const line = [this.root];
    for (const name of this.path) {
      const next = line.at(-1).children.get(name);
      if (!next) break;
      line.push(next);
    }
    return line;
  }

  draw() {
    if (!this.root) return;
    const width = this.holder.clientWidth;
    const line = this.focus();
    const boxes = [];
    let deepest = line.length;
    line.forEach((node, depth) => boxes.push({ node, depth, x: 0, width, path: this.path.slice(0, depth) }));
    const lay = (node, depth, x, scale, path) => {
      const children = [...node.children.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
      for (const child of children) {
        const wide = child.weight * scale;
        if (wide < FLAME_LEAST || depth > FLAME_ROWS) continue;
        const own = [...path, child.name];
        boxes.push({ node: child, depth, x, width: wide, path: own });
        deepest = Math.max(deepest, depth + 1);
        lay(child, depth + 1, x, scale, own);
        x += wide;
      }
    };
    const from = line.at(-1);
    if (from.weight > 0) lay(from, line.length, 0, width / from.weight, this.path.slice(0, line.length - 1));
    this.count = boxes.length;
    this.holder.style.height = deepest * FLAME_ROW + 'px';
    this.holder.replaceChildren(
      ...boxes.map(({ node, depth, x, width: wide, path }, i) => {
        const box = element('button', { type: 'button', className: 'flame-box' + (depth < line.length ? ' around' : ''), tabIndex: i ? -1 : 0 }, wide > 30 ? node.name : '');
        box.setAttribute('aria-label', `${node.name}: ${this.format(node.weight)}`);
        box.style.left = x + 'px';
        box.style.top = depth * FLAME_ROW + 'px';
        box.style.width = Math.max(1, wide - 1) + 'px';
        box.style.setProperty('--tone', depth === 0 ? 0 : this.tone(node.name));
        Object.assign(box, { node, path, depth });
        return box;
      }),
    );
    this.describe(from);
  }

  tone(name) {
    let hash = 7;
    for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) & 0xffff;
    return 12 + (hash % 26);
  }

  describe(node) {
    if (!node) return;
    if (!this.root.weight) {
      this.facts.textContent = 'Nothing: no bytes to show.';
      return;
    }
    this.facts.replaceChildren(
      element('b', {}, node.name),
      ` ${this.format(node.weight)}, ${percentText(node.weight / this.root.weight)}, ${countOf(node.blocks, 'block')}`,
    );
  }

  zoom(path) {
    this.path = path;
    this.draw();
    this.holder.querySelectorAll('.flame-box')[Math.min(path.length, this.focus().length - 1)]?.focus();
  }

  click(event) {
    if (event.target.path) this.zoom(event.target.path);
  }

  key(event) {
    const box = event.target;
    if (!box.path || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = [...this.holder.querySelectorAll('.flame-box')];
    const level = all.filter((each) => each.depth === box.depth);
    const at = level.indexOf(box);
    const inside = (a, b) => a.offsetLeft <= b.offsetLeft + 1 && a.offsetLeft + a.offsetWidth >= b.offsetLeft;
    const next = {
      ArrowRight: () => level[at + 1],
      ArrowLeft: () => level[at - 1],
      ArrowDown: () => all.find((each) => each.depth === box.depth + 1 && inside(box, each)),
      ArrowUp: () => all.findLast((each) => each.depth === box.depth - 1 && inside(each, box)),
    }[event.key];
    if (event.key === 'Escape') {
      event.preventDefault();
      this.zoom(this.path.slice(0, -1));
    } else if (next) {
      event.preventDefault();
      next()?.focus();
    }
  }
}
