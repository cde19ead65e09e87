/* What a reader looks for, as commands print it: words of stacks, an address, a request, an event, a stream or a size. */

const QUERY_SIZE = /^([\d\s\u202f\u00a0]+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)$/i;
const QUERY_ADDRESS = /^(?:0x([0-9a-f]{1,16})|([0-9a-f]{8,16}))$/i;
const QUERY_NUMBER = /^\(?(request|event)\s+#?([\d\s\u202f\u00a0,']+)\)?$/i;
const QUERY_TRACEBACK = /^file "(.*?)", line (\d+)(?:, in (\S+))?$/i;

const digitsOf = (text) => Number(text.replace(/\D/g, ''));

/** What a text asks for. */
function readQuery(text) {
  const query = text.trim();
  if (!query) return { kind: 'none' };
  const number = QUERY_NUMBER.exec(query);
  if (number) return { kind: number[1].toLowerCase(), number: digitsOf(number[2]) };
  const size = QUERY_SIZE.exec(query);
  if (size) {
    const digits = size[1].replace(/[\s\u202f\u00a0]/g, '');
    const unit = 1024 ** UNITS.findIndex((each) => each.toLowerCase() === size[2].toLowerCase());
    const decimals = (digits.split('.')[1] ?? '').length;
    // Whoever leaves the decimals out means all sizes that are rounded to it.
    const slack = unit === 1 ? 0 : 0.5 * 10 ** -decimals * unit;
    return { kind: 'size', from: Number(digits) * unit - slack, to: Number(digits) * unit + slack };
  }
  const address = QUERY_ADDRESS.exec(query);
  if (address && (address[1] || (/\d/.test(query) && /[a-f]/i.test(query)))) return { kind: 'address', address: BigInt('0x' + (address[1] ?? address[2])) };
  if (/^[\d\s\u202f\u00a0]+$/.test(query)) return { kind: 'request', number: digitsOf(query) };
  const stream = /^stream\s+(\S+)$/i.exec(query);
  if (stream) return { kind: 'stream', name: stream[1].toLowerCase() };
  for (const kind of ['line', 'stack', 'category']) {
    if (query.startsWith(kind + ' ')) return { kind, name: query.slice(kind.length + 1), words: query.toLowerCase().split(/\s+/) };
  }
  const traceback = QUERY_TRACEBACK.exec(query);
  const words = traceback ? [`${traceback[1].split(/[/\\]/).at(-1)}:${traceback[2]} ${traceback[3] ?? ''}`.trim()] : query.split(/\s+/);
  return { kind: 'words', words: words.map((word) => word.toLowerCase()) };
}

/** Which stacks have a frame with all words, and which categories have them in their names. */
function wordHits(about, words) {
  const has = (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  const frames = about.frames.map(has);
  return {
    stacks: about.full_stacks.map((depths, i) => (depths.length ? depths.some((frame) => frames[frame]) : has('stack not recorded'))),
    labels: about.stacks.map((label) => label !== '' && has(label)),
    categories: about.categories.map(has),
  };
}

/** Says for each block of a trace whether a text asks for it; `run` has the addresses. */
function queryMatcher(text, trace, run) {
  const query = readQuery(text);
  switch (query.kind) {
    case 'none':
      return always;
    case 'request': {
      const wanted = query.number + trace.about.prologue_blocks;
      return (block) => block === wanted;
    }
    case 'event':
      return (block) => trace.birth[block] === query.number || (run && run.freed[block] === query.number);
    case 'size':
      return (block) => (trace.size[block] >= query.from && trace.size[block] <= query.to) || (run && run.block[block] >= query.from && run.block[block] <= query.to);
    case 'address': {
      if (!run) return () => false;
      const address = Number(query.address - BigInt(run.about.base_address));
      return (block) => run.done[block] >= 0 && run.address[block] <= address && address < run.address[block] + run.block[block];
    }
    case 'stream':
      return (block) => trace.streamName(trace.stream[block]).toLowerCase() === query.name;
    case 'line': {
      const line = trace.lines.indexOf(query.name);
      if (line >= 0) return (block) => trace.lineOf[trace.stack[block]] === line;
      break;
    }
    case 'stack': {
      const stack = trace.about.stacks.indexOf(query.name === NO_STACK ? '' : query.name);
      if (stack >= 0) return (block) => trace.stack[block] === stack;
      break;
    }
    case 'category': {
      const category = trace.about.categories.indexOf(query.name);
      if (category >= 0) return (block) => trace.category[block] === category;
      break;
    }
    default:
  }
  const { stacks, labels, categories } = wordHits(trace.about, query.words);
  return (block) => stacks[trace.full[block]] || labels[trace.stack[block]] || categories[trace.category[block]];
}
