// What a client does in each client scenario of the suite, once it is connected through the gate.

const RAW = { '~standard': { version: 1, vendor: 'tidegate', validate: (value) => ({ value }) } };
const FULL_ROUND_MS = 20_000;

/** Requests whose results are taken as they come, unknown fields and all. */
export const rawRequests = (client) => ({
  isGated: true,
  request: (method, params = {}) => client.request({ method, params }, RAW, { timeout: FULL_ROUND_MS }),
});

/** The same through the official client's own methods, which know the header rules; for runs without the gate. */
export const officialRequests = (client) => ({
  isGated: false,
  request(method, params = {}) {
    if (method === 'tools/list') return client.listTools();
    if (method === 'tools/call') return client.callTool(params).catch(forgiveResultType);
    return client.request({ method, params }, RAW, { timeout: FULL_ROUND_MS });
  },
});

/** The official client refuses a result without resultType, which the suite wants taken as complete. */
function forgiveResultType(error) {
  if (!error.message.includes('missing required resultType')) throw error;
}

/** An answer to an elicitation: the defaults of the schema, and a plain value where there is none. */
export function acceptWithDefaults({ params }) {
  const fields = Object.entries(params.requestedSchema?.properties ?? {});
  return {
    action: 'accept',
    content: Object.fromEntries(fields.map(([name, field]) => [name, fill(field)])),
  };
}

function fill(field) {
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined) return field.enum[0];
  return { boolean: true, number: 1, integer: 1, array: [] }[field.type] ?? 'text';
}

const list = ({ request }) => request('tools/list');
const call = ({ request }, name, given = {}) => request('tools/call', { name, arguments: given });

/** The gate has to refuse a call of a tool that it does not list; the official client alone would send it. */
async function mustBeRefused(wire, names) {
  for (const name of names) {
    const outcome = await call(wire, name, { value: 'x' }).catch(() => 'refused');
    if (outcome !== 'refused') throw new Error(`the gate passed on a call of ${name}`);
  }
}

async function callEachTool(wire, names) {
  for (const name of names) await call(wire, name);
}

export const DRIVES = {
  initialize: list,
  async tools_call(wire) {
    await list(wire);
    await call(wire, 'add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': (wire) => callEachTool(wire, ['test_client_elicitation_defaults']),
  'sse-retry': (wire) => callEachTool(wire, ['test_reconnection']),
  'request-metadata': list,
  'sep-2322-client-request-state': (wire) =>
    callEachTool(wire, [
      'test_mrtr_echo_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_state',
      'test_mrtr_no_result_type',
    ]),
  async 'http-standard-headers'(wire) {
    const { tools } = await list(wire);
    await callEachTool(
      wire,
      tools.map((tool) => tool.name),
    );
    const { resources } = await wire.request('resources/list');
    for (const { uri } of resources) await wire.request('resources/read', { uri });
    const { prompts } = await wire.request('prompts/list');
    for (const { name } of prompts) await wire.request('prompts/get', { name });
  },
  async 'http-custom-headers'(wire, { toolCalls }) {
    await list(wire);
    for (const { name, arguments: given } of toolCalls) await call(wire, name, given);
  },
  async 'http-invalid-tool-headers'(wire) {
    const { tools } = await list(wire);
    const shown = tools.map((tool) => tool.name);
    if (shown.join() !== 'valid_tool') throw new Error(`the gate lists ${shown.join(', ')}`);
    await call(wire, 'valid_tool', { region: 'us-west1' });
    if (wire.isGated) await mustBeRefused(wire, ['invalid_empty_header', 'invalid_object_header']);
  },
  'json-schema-ref-no-deref': list,
  async 'json-schema-2020-12-preservation'(wire) {
    const { tools } = await list(wire);
    const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema;
    await call(wire, 'json_schema_echo', { schema });
  },
};
