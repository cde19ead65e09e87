/* Two runs as a difference: what the run in view holds at a moment and another one, of the same trace or of another file, does not. */

const DIFFERENCE_ROWS = 20;

/** What a run holds at a position, by full stack and purpose; frames and purposes are texts, which all traces of a page share. */
function heldBy(trace, run, at, matches) {
  const groups = new Map();
  const texts = new Map();
  let bytes = 0;
  let blocks = 0;
  for (const block of run.aliveBlocks(run.known(at))) {
    if (!matches(block)) continue;
    const full = trace.full[block];
    if (!texts.has(full)) texts.set(full, trace.fullStack(block));
    const frames = texts.get(full);
    const category = trace.categoryName(block);
    const key = category + '\n' + frames.join('\n');
    if (!groups.has(key)) groups.set(key, { frames, category, label: trace.stackName(block) || NO_STACK, bytes: 0, blocks: 0 });
    const group = groups.get(key);
    group.bytes += run.block[block];
    group.blocks++;
    bytes += run.block[block];
    blocks++;
  }
  return { groups, bytes, blocks };
}

/** Groups of two moments together: bytes and blocks of each. */
function paired(before, after) {
  const pairs = new Map();
  const add = ({ groups }, bytes, blocks) => {
    for (const [key, group] of groups) {
      if (!pairs.has(key)) pairs.set(key, { ...group, bytesBefore: 0, bytesAfter: 0, blocksBefore: 0, blocksAfter: 0 });
      pairs.get(key)[bytes] = group.bytes;
      pairs.get(key)[blocks] = group.blocks;
    }
  };
  add(before, 'bytesBefore', 'blocksBefore');
  add(after, 'bytesAfter', 'blocksAfter');
  return [...pairs.values()];
}

/** Sums of pairs with the same name; the largest difference first. */
function byName(pairs, nameOf) {
  const sums = new Map();
  for (const pair of pairs) {
    const name = nameOf(pair);
    const sum = sums.get(name) || { name, bytesBefore: 0, bytesAfter: 0, blocksBefore: 0, blocksAfter: 0 };
    for (const key of ['bytesBefore', 'bytesAfter', 'blocksBefore', 'blocksAfter']) sum[key] += pair[key];
    sums.set(name, sum);
  }
  const size = (sum) => Math.abs(sum.bytesAfter - sum.bytesBefore);
  return [...sums.values()].sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
}

/** As {@link flameTree}, of groups instead of blocks. */
function groupTree(groups, byCategory) {
  const root = { name: 'all', weight: 0, blocks: 0, children: new Map() };
  for (const { frames, category, weight, blocks } of groups) {
    const path = frames.length ? frames.slice().reverse() : ['stack not recorded'];
    addPath(root, byCategory ? [category, ...path] : path, weight, blocks);
  }
  return root;
}

class RunDifference {
  constructor(explorer) {
    this.explorer = explorer;
    this.get = (id) => document.getElementById(id);
    this.flame = new FlameGraph(this.get('between-flame'), this.get('between-facts'));
    this.from = null;
    const on = (id, event, call) => this.get(id).addEventListener(event, call);
    on('from-run', 'change', () => (this.chosen = this.choose(this.get('from-run').value)));
    for (const id of ['from-at', 'to-at', 'between-of', 'between-by']) on(id, 'change', () => this.show());
    on('take-from', 'click', () => (this.chosen = this.take()));
  }

  /** Offers the runs of all traces. */
  fill() {
    const { traces } = this.explorer.data;
    const options = traces.flatMap((trace, number) =>
      trace.runs.map((run) => [`${number}.${run.row}`, traces.length > 1 ? `${trace.name}: ${run.label}` : run.label]),
    );
    this.get('between-part').hidden = options.length < 2;
    this.get('from-run').replaceChildren(
      element('option', { value: '' }, 'none'),
      ...options.map(([value, name]) => element('option', { value }, name)),
    );
  }

  /** Takes the run with this name of `fill` to start from; none where it is empty. */
  async choose(name) {
    this.get('from-run').value = name;
    if (!name) {
      this.from = null;
      this.show();
      return;
    }
    const [number, row] = name.split('.').map(Number);
    const { explorer } = this;
    const isSame = number === explorer.number;
    if (!isSame && this.otherTrace?.number !== number) {
      this.otherTrace = { number, trace: await Trace.load(number, explorer.data.traces[number]) };
    }
    const trace = isSame ? explorer.trace : this.otherTrace.trace;
    const about = trace.about.runs.find((run) => run.row === row);
    // A run of a long trace shows its key moments until the whole of it is read.
    if (about.preview) {
      this.from = { name, number, trace, run: await Run.preview(trace, about) };
      this.show();
      await explorer.opened;
    }
    const run = await Run.load(trace, about);
    if (this.get('from-run').value !== name) return;
    this.from = { name, number, trace, run };
    this.show();
  }

  /** Starts from the run in view at the time cursor. */
  async take() {
    const { explorer } = this;
    explorer.setMark();
    this.get('from-at').value = 'mark';
    await this.choose(`${explorer.number}.${explorer.run.about.row}`);
  }

  /** The position that a choice names; null where the run has no such moment. */
  position(choice, run, number) {
    if (choice === 'mark') return this.explorer.marks[number] ?? null;
    if (choice === 'cursor') return number === this.explorer.number ? this.explorer.cursor : null;
    return run.moments.find(({ name }) => name === choice)?.at ?? null;
  }

  show() {
    const { explorer, from } = this;
    this.get('between-shown').hidden = !from;
    if (!from) {
      this.get('between').textContent = 'Choose a baseline run: the difference is what the current run holds and the baseline does not.';
      this.shownKey = '';
      return;
    }
    const choices = { from: this.get('from-at').value, to: this.get('to-at').value };
    const before = this.position(choices.from, from.run, from.number);
    const after = this.position(choices.to, explorer.run, explorer.number);
    const by = this.get('between-by').value;
    const of = this.get('between-of').value;
    const key = JSON.stringify([from.name, from.run.isWhole, before, explorer.run.about.id, explorer.run.isWhole, after, by, of, explorer.filter]);
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.get('between-shown').hidden = before === null || after === null;
    if (before === null || after === null) {
      const isFrom = before === null;
      this.get('between').textContent = this.missing(isFrom ? choices.from : choices.to, isFrom);
      return;
    }
    this.before = heldBy(from.trace, from.run, before, explorer.matcher(from.trace, from.run));
    this.after = heldBy(explorer.trace, explorer.run, after, explorer.map.matches);
    this.pairs = paired(this.before, this.after);
    this.showSentence(from.run.known(before), explorer.run.known(after));
    this.showRows(by);
    const isGained = of === 'gained';
    const groups = this.pairs
      .map((pair) => ({
        ...pair,
        weight: (isGained ? 1 : -1) * (pair.bytesAfter - pair.bytesBefore),
        blocks: Math.abs(pair.blocksAfter - pair.blocksBefore),
      }))
      .filter((pair) => pair.weight > 0);
    this.flame.show(groupTree(groups, by === 'category'), bytesText);
  }

  missing(choice, isFrom) {
    const whose = isFrom ? 'The baseline run' : 'The current run';
    return {
      first_oom: `${whose} has no failed request.`,
      mark: `${whose} has no marked moment: open it and press m on its timeline.`,
      cursor: 'The traces have different events: choose a moment for each run.',
    }[choice];
  }

  showSentence(before, after) {
    const { explorer, from } = this;
    let gained = 0;
    let given = 0;
    for (const { bytesBefore, bytesAfter } of this.pairs) {
      gained += Math.max(0, bytesAfter - bytesBefore);
      given += Math.max(0, bytesBefore - bytesAfter);
    }
    this.sums = { gained, given };
    const change = this.after.bytes - this.before.bytes;
    const { traces } = explorer.data;
    const name = (trace, run) => (traces.length > 1 ? `${trace.about.name}, ${run.about.label},` : run.about.label);
    const moment = (each, at) => `holds ${bytesText(each.bytes)} in ${countOf(each.blocks, 'block')} after event ${countText(at)}`;
    this.get('between').textContent =
      `${name(from.trace, from.run)} ${moment(this.before, before)}; ` +
      `${name(explorer.trace, explorer.run)} ${moment(this.after, after)}: ` +
      `${bytesText(Math.abs(change))} ${change < 0 ? 'less' : 'more'}, ${bytesText(gained)} gained by stacks that hold more, ${bytesText(given)} freed by stacks that hold less.`;
  }

  showRows(by) {
    const isStack = by === 'stack';
    const rows = byName(this.pairs, (pair) => (isStack ? pair.label : pair.category));
    this.get('between-rows').replaceChildren(
      ...rows.slice(0, DIFFERENCE_ROWS).map((row) => {
        const change = row.bytesAfter - row.bytesBefore;
        return element(
          'tr', { dataset: { name: row.name, change } },
          element('td', {}, (change > 0 ? '+' : '') + bytesText(change)),
          element('td', {}, bytesText(row.bytesBefore)),
          element('td', {}, bytesText(row.bytesAfter)),
          element('td', {}, countText(row.blocksBefore)),
          element('td', {}, countText(row.blocksAfter)),
          element(
            'th', { scope: 'row' },
            isStack
              ? element('button', { type: 'button', title: 'Filter by this stack', onclick: () => this.explorer.filterBy(row.name) }, row.name)
              : row.name,
          ),
        );
      }),
    );
    this.get('between-more').textContent = rows.length > DIFFERENCE_ROWS ? `and ${countText(rows.length - DIFFERENCE_ROWS)} more with smaller differences` : '';
  }
}
