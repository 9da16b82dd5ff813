// Runs cases: functions that throw when something is not as it should be.

export const print = (value, depth = 0) => {
  if (depth > 6) return '…';
  const inner = (item) => print(item, depth + 1);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Map) return `Map(${inner([...value])})`;
  if (value instanceof Set) return `Set(${inner([...value])})`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof RegExp) return `RegExp(${value})`;
  if (value instanceof Error) return `${value.name}(${value.message})`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${[...new Uint8Array(value)]})`;
  if (value instanceof DataView) return `DataView(${value.byteOffset}, ${value.byteLength})`;
  if (ArrayBuffer.isView(value)) return `${value[Symbol.toStringTag]}(${[...value]})`;
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return `Object(${inner(value.valueOf())})`;
  if (Array.isArray(value)) return `[${Array.from(value, (item, i) => (i in value ? inner(item) : 'hole')).join(', ')}]`;
  return `{${Object.keys(value).map((key) => `${key}: ${inner(value[key])}`).join(', ')}}`;
};

export const same = (actual, expected) => {
  const [a, b] = [print(actual), print(expected)];
  if (a !== b) throw new Error(`is ${a} and should be ${b}`);
};

export const throws = (make, name, message = undefined) => {
  let error;
  try {
    make();
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Error(`should throw ${name}`);
  if (error.name !== name) throw new Error(`throws ${error.name} (${error.message}) and should throw ${name}`);
  if (message !== undefined && error.message !== message) throw new Error(`says '${error.message}', not '${message}'`);
};

export const rejects = async (promise, name) => {
  let outcome;
  try {
    outcome = await promise;
  } catch (error) {
    return throws(() => { throw error; }, name);
  }
  throw new Error(`should be rejected with ${name} and is ${print(outcome)}`);
};

export const run = async (cases) => {
  const failed = [];
  for (const [name, test] of Object.entries(cases)) {
    try {
      await test();
    } catch (error) {
      failed.push(`${name}: ${error?.stack ? `${error.name}: ${error.message}\n${error.stack}` : error}`);
    }
  }
  return { count: Object.keys(cases).length, failed };
};
