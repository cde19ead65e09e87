/* TeaVM's runtime makes functions of texts, which the page's policy forbids. This stands in for the
   constructor that it calls: it knows the functions that the engine asks for, and no others. */

/** What the engine's Java says in JavaScript: bodies without spaces, and functions of their arguments. */
const BODIES = {
  "returntypeofobj=='undefined';": (obj) => typeof obj === 'undefined',
  'returnobject.toString();': (object) => object.toString(),
  'returnallocsimHost.digest();': () => self.allocsimHost.digest(),
  'returnallocsimHost.text(path);': (path) => self.allocsimHost.text(path),
  'returnallocsimHost.zstandard();': () => self.allocsimHost.zstandard(),
  'returnnumber.toExponential();': (number) => number.toExponential(),
  'returnNumber(text);': (text) => Number(text),
  'returnallocsimHost.progress(task,share);': (task, share) => self.allocsimHost.progress(task, share),
};

function guarded(onFailure, call) {
  try {
    return call();
  } catch (e) {
    return onFailure(e);
  }
}

/** A variable of the worker by its name, which must be there. */
function global(name) {
  if (!(name in globalThis)) throw new ReferenceError(name + ' is not defined');
  return globalThis[name];
}

/** Makes what a function of this text would be. */
function known(...parts) {
  const body = parts[parts.length - 1];
  const name = /^return ([\w$]+);$/.exec(body);
  if (parts.length === 1 && name) return () => global(name[1]);
  switch (parts[0]) {
    case 'wrapCallFromJavaToJs':
      if (parts[parts.length - 2] === 'body') {
        return (wrap, ...inner) => known('wrapCallFromJavaToJs', ...inner);
      }
      // One that returns what it is given.
      if (parts.length === 3 && body.trim() === `return ${parts[1]};`) return (value) => value;
      break;
    case 'rethrowJavaAsJs': {
      const isMethod = body.includes('fn(this');
      const isVariable = body.includes('...');
      return (rethrow, fn) => function (...given) {
        const values = isMethod ? [this, ...given] : given;
        if (isVariable) values.splice(fn.length - 1, Infinity, values.slice(fn.length - 1));
        return guarded(rethrow, () => fn(...values));
      };
    }
    case 'rethrowJsAsJava':
      switch (parts[1]) {
        case 'fn':
          return (rethrow, fn, ...values) => guarded(rethrow, () => fn(...values));
        case 'constructor':
          return (rethrow, Type, ...values) => guarded(rethrow, () => new Type(...values));
        case 'getGlobalName':
          return (rethrow, find, instance, method, ...values) =>
            guarded(rethrow, () => instance !== null ? instance[method](...values) : find(method)(...values));
      }
      break;
    case 'constructor':
      return (construct) => function (marker, javaObject) {
        return construct.call(this, marker, javaObject);
      };
  }
  if (/^return \[[\w, ]*\]$/.test(body)) return (...values) => values;
  const own = BODIES[body.replace(/\s+/g, '')];
  if (!own) throw new Error(`this page does not have the function (${parts.slice(0, -1)}) { ${body} } of the engine`);
  return own;
}

self.Function = new Proxy(self.Function, {
  construct: (_, parts) => known(...parts),
  apply: (_, that, parts) => known(...parts),
});
