// The input of a tool: a JSON Schema, or an object of the Standard Schema family such as one made with zod.

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{ schema, validate }`, where `validate(args)` gives `{ value }` or `{ missing }`, or throws. */
export function readInput(name, input = {}) {
  const standard = input?.['~standard'];
  const schema = standard ? jsonSchemaOf(name, input) : input;
  if (!isObject(schema)) throw new TypeError(`tool '${name}': input must be a JSON Schema or a schema object`);
  const { type = 'object' } = schema;
  if (type !== 'object') throw new TypeError(`tool '${name}': input must describe an object, not '${type}'`);
  const validate = standard ? byStandard(name, standard) : byRequired(schema);
  return { schema: schema.type ? schema : { type, ...schema }, validate };
}

function jsonSchemaOf(name, input) {
  const convert = input['~standard'].jsonSchema?.input;
  if (convert) return convert({ target: 'draft-2020-12' });
  if (typeof input.toJSONSchema === 'function') return input.toJSONSchema({ target: 'draft-2020-12', io: 'input' });
  const vendor = input['~standard'].vendor ?? 'its library';
  throw new TypeError(`tool '${name}': ${vendor} cannot describe this input as JSON Schema; use a newer version of it`);
}

/** The engine checks arguments against the schema before it calls; of what other clients send, the least is checked. */
function byRequired({ required }) {
  const keys = Array.isArray(required) ? required : [];
  return (args) => {
    const missing = keys.length ? keys.filter((key) => args[key] === undefined) : keys;
    return missing.length ? { missing } : { value: args };
  };
}

function byStandard(name, standard) {
  return async (args) => {
    const { issues, value } = await standard.validate(args);
    if (!issues) return { value };
    const lines = issues.map(({ path = [], message }) => {
      const place = path.map((part) => String(part?.key ?? part)).join('.');
      return place ? `${place}: ${message}` : message;
    });
    throw new TypeError(`invalid arguments for '${name}': ${lines.join('; ')}`);
  };
}
