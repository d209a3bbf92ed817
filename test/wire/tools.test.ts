import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCollector } from '../support/collector.js';
import { count } from '../support/counts.js';
import {
  endProcess,
  type HttpGate,
  openHttpGate,
  openPlace,
  type Place,
  spawnStdioGate,
} from '../support/gate.js';
import { type LineClient, type Message, openLineClient } from '../support/line-client.js';
import { createRandom } from '../support/random.js';
import { valuesOf } from '../support/schema-arbitrary.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

type JsonObject = Readonly<Record<string, unknown>>;

interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations: JsonObject;
}

interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly reason?: string;
  readonly suggestion: string;
  readonly retryable: boolean;
}

const six = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'];
const { seed } = createRandom();

let place: Place;
let workspace = '';
let child: ReturnType<typeof spawnStdioGate>;
let client: LineClient;
let tools: readonly Listed[] = [];

beforeAll(async () => {
  place = openPlace({ builtins: ['*'], log: { level: 'error' } });
  workspace = join(place.directory, 'workspace');
  // Generated calls may change the first file; the second stays unchanged.
  for (const name of ['notes.txt', 'lines.txt']) {
    writeFileSync(join(workspace, name), 'first line\nsecond line\n');
  }
  child = spawnStdioGate(place);
  client = openLineClient(child);
  await client.initialize();
  const { result } = (await client.request('tools/list')).message;
  tools = (result as unknown as { readonly tools: readonly Listed[] }).tools;
});
afterAll(async () => {
  await endProcess(child);
  place.close();
});

/** Safe arguments, whatever the other arguments are. */
const tamed: Readonly<Record<string, JsonObject>> = { Bash: { command: 'true', run_in_background: false } };

/** Half of the generated calls use existing files. */
function realPlaces({ properties }: JsonObject): JsonObject {
  const known = { file_path: 'notes.txt', path: '.', cwd: '.' };
  return Object.fromEntries(
    Object.entries(known).filter(([field]) => Object.hasOwn(properties as object, field)),
  );
}

async function call(name: string, args: JsonObject): Promise<Message> {
  return (await client.request('tools/call', { name, arguments: args }, 60_000)).message;
}

function envelopeOf({ result }: Message): Envelope | undefined {
  return (result?.['structuredContent'] as { readonly error?: Envelope } | undefined)?.error;
}

describe('the built-in tools', () => {
  it('are listed if their ports are available', () => {
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(six));
  });

  it('describe what they do, each argument, and their effects', () => {
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description.length, name).toBeGreaterThan(20);
      expect(inputSchema['type'], name).toBe('object');
      for (const word of ['oneOf', 'anyOf', 'allOf', 'if'])
        expect(inputSchema, name).not.toHaveProperty(word);
      expect(outputSchema, name).toBeDefined();
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toContain('"null"');
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
      for (const hint of hints) expect(typeof annotations[hint], `${name} ${hint}`).toBe('boolean');
    }
  });

  it('accept everything their input schema allows, and return what their output schema declares', async () => {
    const runs = count(200);
    const answers: string[] = [];
    for (const { name, inputSchema, outputSchema } of tools) {
      const check = new Validator(outputSchema ?? {}, '2020-12', false);
      const property = fc.asyncProperty(valuesOf(inputSchema), fc.boolean(), async (values, isReal) => {
        const generated = { ...(values as JsonObject), ...(isReal ? realPlaces(inputSchema) : {}) };
        const answer = await call(name, { ...generated, ...tamed[name] });
        expect(answer.error, `${name} ${JSON.stringify(generated)}`).toBeUndefined();
        expect(envelopeOf(answer)?.code, JSON.stringify(generated)).not.toBe('input.invalid');
        const { errors } = check.validate(answer.result?.['structuredContent']);
        expect(errors, `${name} ${JSON.stringify(answer.result)}`).toEqual([]);
        answers.push(envelopeOf(answer)?.code ?? 'done');
      });
      await fc.assert(property, { numRuns: runs, seed });
    }
    const codes = [...new Set(answers)];
    const tally = codes.map((code) => `${code} ${String(answers.filter((one) => one === code).length)}`);
    console.log(`generated calls: n=${String(answers.length)} (${tally.join(', ')}), seed ${String(seed)}`);
    expect(answers).toHaveLength(runs * tools.length);
  });

  it('refuse what their schemas forbid, and name the field', async () => {
    for (const { name, inputSchema } of tools) {
      const [required] = (inputSchema['required'] ?? []) as readonly string[];
      if (required === undefined) continue;
      const wrong = await call(name, { [required]: { not: 'this' } });
      expect(wrong.result, name).toMatchObject({ isError: true });
      expect(envelopeOf(wrong), name).toMatchObject({ code: 'input.invalid', retryable: false });
      expect(envelopeOf(wrong)?.message, name).toContain(required);
    }
  });

  it('accept arguments as agents send them: aliases, JSON in strings, extra fields', async () => {
    const plain = await call('Read', { file_path: 'lines.txt', offset: 2, limit: 1 });
    expect(plain.result?.['structuredContent']).toMatchObject({
      content: expect.stringContaining('second') as string,
    });
    for (const spelt of [
      { path: 'lines.txt', offset: '2', limit: '1', wait_for_previous: true },
      { filePath: 'lines.txt', offset: 2, limit: 1, extra: null },
    ]) {
      const answer = await call('Read', spelt);
      expect(answer.result?.['structuredContent']).toEqual(plain.result?.['structuredContent']);
    }
  });

  it('are the only callable tools: a name that is not listed does not exist', async () => {
    const listed = new Set(tools.map(({ name }) => name));
    const names = [...listed].flatMap((name) => [
      name.toLowerCase(),
      name.toUpperCase(),
      `${name} `,
      `_${name}`,
    ]);
    for (const name of [...names, '', 'toString', '__proto__', 'tools/list']) {
      if (listed.has(name)) continue;
      const { error } = await call(name, {});
      expect(error, name).toMatchObject({ code: -32602 });
    }
  });
});

describe('a tool that fails', () => {
  let gate: HttpGate;
  beforeAll(async () => {
    gate = await openHttpGate(place);
  });
  afterAll(() => gate.close());

  it.each(sdkKinds.flatMap((kind) => (['stdio', 'http'] as const).map((wire) => ({ ...kind, kind, wire }))))(
    'reports why to a client with SDK $sdk ($mode) over $wire, as data and as text',
    async ({ kind, wire }) => {
      const sdk: SdkClient = await openSdkClient({ kind, wire, place, gate });
      try {
        // A strict client validates results against the listed schemas.
        await sdk.tools();
        const result = await sdk.call('Read', { file_path: 'no-such-file.txt' });
        const { error } = result.structuredContent as { readonly error: Envelope };
        expect(result.isError).toBe(true);
        expect(error).toMatchObject({ code: 'work.not_found', retryable: false });
        expect(error.suggestion).not.toBe('');
        const [block] = result.content;
        for (const part of [error.code, error.message, error.suggestion]) expect(block?.text).toContain(part);
        const right = await sdk.call('Read', { file_path: 'notes.txt' });
        expect(right.isError ?? false).toBe(false);
        await expect(sdk.call('NoSuchTool')).rejects.toMatchObject({ code: -32602 });
        await expect(sdk.call('NoSuchTool')).rejects.toThrow('Unknown tool: NoSuchTool');
      } finally {
        await sdk.close();
      }
    },
  );
});

describe('--tools', () => {
  async function listWith(patterns: string): Promise<readonly string[]> {
    const narrow = spawnStdioGate(place, '--tools', patterns);
    const narrowed = openLineClient(narrow);
    await narrowed.initialize();
    const { result } = (await narrowed.request('tools/list')).message;
    await endProcess(narrow);
    return (result as unknown as { readonly tools: readonly Listed[] }).tools.map(({ name }) => name).sort();
  }

  it.each([
    ['Read', ['Read']],
    ['G*', ['Glob', 'Grep']],
    ['R?ad,Edit', ['Edit', 'Read']],
    ['!Bash*,!KillBash,!Write,!Edit,!*_workflow*', ['Glob', 'Grep', 'Read']],
    ['Read,Bash,!Bash', ['Read']],
    ['nothing_*', []],
  ])('%s leaves %j', async (patterns, names) => {
    expect(await listWith(patterns)).toEqual(names);
  });

  it('makes the other tools look absent, byte for byte', async () => {
    const narrow = spawnStdioGate(place, '--tools', 'Read');
    const narrowed = openLineClient(narrow);
    await narrowed.initialize();
    const errors = [];
    for (const name of ['Bash', 'Hsab']) {
      const { error } = (await narrowed.request('tools/call', { name, arguments: { command: 'true' } }))
        .message;
      errors.push(JSON.stringify(error).replaceAll(name, 'X'));
    }
    expect(errors[0]).toBe(errors[1]);
    expect(errors[0]).toBe('{"code":-32602,"message":"Unknown tool: X"}');
    await endProcess(narrow);
    // The control: without the filter it can be called.
    expect((await call('Bash', { command: 'true' })).error).toBeUndefined();
  });

  it('that cannot be parsed is refused', () => {
    const { status, stderr } = place.run('mcp', '--tools', 'a b;c');
    expect(status).toBe(2);
    expect(stderr).toContain('--tools takes names or patterns');
  });
});

const greeting = (words: string): string => `
import { defineTool, z } from 'tidegate/tool';
const hello: string = '${words}';
export default defineTool({
  name: 'greet', title: 'Greet', description: 'Greets somebody by name, politely.', effect: 'read',
  input: z.object({ name: z.string().describe('Whom to greet.') }),
  output: z.object({ greeting: z.string().describe('The words.') }),
  run: ({ name }) => ({ data: { greeting: \`\${hello}, \${name}\` }, text: \`\${hello}, \${name}\` }),
});
`;

describe('a workspace tool', () => {
  let own: Place;
  let folder = '';
  let gate: ReturnType<typeof spawnStdioGate>;
  let line: LineClient;
  let said = '';

  beforeAll(async () => {
    own = openPlace({});
    folder = join(own.directory, 'workspace', '.tidegate', 'tools');
    mkdirSync(folder, { recursive: true });
    gate = spawnStdioGate(own);
    gate.stderr.on('data', (part: Buffer) => (said += part.toString()));
    line = openLineClient(gate);
    await line.initialize();
  });
  afterAll(async () => {
    await endProcess(gate);
    own.close();
  });

  async function names(): Promise<readonly string[]> {
    const { result } = (await line.request('tools/list')).message;
    return (result as unknown as { readonly tools: readonly Listed[] }).tools.map(({ name }) => name);
  }
  const wasTold = () =>
    line.unclaimed.some(({ message }) => message.method === 'notifications/tools/list_changed');
  const greet = async (): Promise<Message> =>
    (await line.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } }, 30_000)).message;

  it('does not run before it is trusted, and is reported', async () => {
    const canary = join(own.directory, 'canary');
    const text = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(canary)}, '');\n`;
    writeFileSync(join(folder, 'greet.tool.ts'), greeting('Hello'));
    writeFileSync(join(folder, 'evil.tool.ts'), text + greeting('Evil').replace("'greet'", "'evil'"));
    await expect.poll(() => said, { timeout: 20_000 }).toContain('greet.tool.ts');
    await expect.poll(() => said, { timeout: 20_000 }).toContain('tidegate trust');
    expect(await names()).toEqual([]);
    expect((await greet()).error).toBeDefined();
    expect(() => rmSync(canary)).toThrow();
  });

  it('appears and works once it is trusted, while the client stays connected', async () => {
    rmSync(join(folder, 'evil.tool.ts'));
    const { status, stderr } = own.run('trust', '--yes');
    expect(status, stderr).toBe(0);
    await expect.poll(wasTold, { timeout: 20_000 }).toBe(true);
    expect(await names()).toEqual(['greet']);
    const { result } = await greet();
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada' }],
      structuredContent: { greeting: 'Hello, Ada' },
    });
  });

  it('disappears as soon as its content changes, until the change is trusted', async () => {
    writeFileSync(join(folder, 'greet.tool.ts'), greeting('Good day'));
    await expect.poll(names, { timeout: 20_000 }).toEqual([]);
    expect(own.run('trust', '--yes').status).toBe(0);
    await expect.poll(names, { timeout: 20_000 }).toEqual(['greet']);
    const { result } = await greet();
    expect(result).toMatchObject({ structuredContent: { greeting: 'Good day, Ada' } });
  });

  it('that is broken is reported with its position, and affects nothing else', async () => {
    writeFileSync(join(folder, 'broken.tool.ts'), 'const a = 1;\nexport default nope(;\n');
    expect(own.run('trust', '--yes').status).toBe(0);
    await expect.poll(() => said, { timeout: 20_000 }).toMatch(/broken\.tool\.ts:2:\d+/);
    expect(await names()).toEqual(['greet']);
    rmSync(join(folder, 'broken.tool.ts'));
  });

  it('that prints does not corrupt the protocol', async () => {
    const text = `import { defineTool, z } from 'tidegate/tool';
console.log('printed at the top');
export default defineTool({
  name: 'loud', title: 'Loud', description: 'Prints while it works.', effect: 'read', input: z.object({}),
  run: () => { console.log('printed'); console.table([1]); process.stdout.write('raw'); return 'done'; },
});`;
    writeFileSync(join(folder, 'loud.tool.ts'), text);
    expect(own.run('trust', '--yes').status).toBe(0);
    await expect.poll(names, { timeout: 20_000 }).toContain('loud');
    const { result } = (await line.request('tools/call', { name: 'loud', arguments: {} }, 30_000)).message;
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect(line.broken).toEqual([]);
    expect(said).toContain('printed');
    expect(own.run('tools', 'call', 'loud').stdout).not.toContain('printed');
    rmSync(join(folder, 'loud.tool.ts'));
    await expect.poll(names, { timeout: 20_000 }).toEqual(['greet']);
  });

  it('that rejects a promise or throws later does not crash the gateway', async () => {
    const text = `import { defineTool, z } from 'tidegate/tool';
export default defineTool({
  name: 'loose', title: 'Loose', description: 'Leaves errors lying about.', effect: 'read', input: z.object({}),
  run() { void Promise.reject(new Error('forgotten')); setTimeout(() => { throw new Error('later'); }, 5); return 'done'; },
});`;
    writeFileSync(join(folder, 'loose.tool.ts'), text);
    expect(own.run('trust', '--yes').status).toBe(0);
    await expect.poll(names, { timeout: 20_000 }).toContain('loose');
    const { result } = (await line.request('tools/call', { name: 'loose', arguments: {} }, 30_000)).message;
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    await expect.poll(() => said, { timeout: 20_000 }).toMatch(/outside a call[\s\S]*outside a call/);
    rmSync(join(folder, 'loose.tool.ts'));
    await expect.poll(names, { timeout: 20_000 }).toEqual(['greet']);
  });

  it('can be untrusted again', async () => {
    expect(own.run('trust', '--forget').stdout).toContain('greet.tool.ts');
    await expect.poll(names, { timeout: 20_000 }).toEqual([]);
    expect(own.run('trust', '--yes').status).toBe(0);
    await expect.poll(names, { timeout: 20_000 }).toEqual(['greet']);
  });

  it('cannot have the name of another tool: that is an error at startup', () => {
    const other = openPlace({});
    const tools = join(other.directory, 'workspace', '.tidegate', 'tools');
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'a.tool.ts'), greeting('A'));
    writeFileSync(join(tools, 'b.tool.ts'), greeting('B'));
    expect(other.run('trust', '--yes').status).toBe(0);
    const { status, stderr } = other.run('tools', 'list');
    expect(status).toBe(2);
    expect(stderr).toContain('tools.name_clash');
    for (const file of ['a.tool.ts', 'b.tool.ts']) expect(stderr).toContain(file);
    other.close();
  });

  it('is created by one command, works without changes, and is listed', () => {
    const other = openPlace({});
    const made = other.run('tools', 'new', 'count_words', '--json');
    expect(made.status, made.stderr).toBe(0);
    expect(other.run('tools', 'new', 'count_words').status).toBe(2);
    expect(other.run('trust', '--yes').status).toBe(0);
    const called = other.run('tools', 'call', 'count_words', 'text=one two  three', '--json');
    expect(JSON.parse(called.stdout)).toMatchObject({ structuredContent: { words: 3 } });
    expect(other.run('tools', 'show', 'count_words').stdout).toContain('The text to count words in.');
    other.close();
  });

  it('made of nodes is printed as a chart, and each node is a span of its call', async () => {
    const collector = await openCollector();
    const other = openPlace({ telemetry: { endpoint: collector.endpoint } });
    const tools = join(other.directory, 'workspace', '.tidegate', 'tools');
    mkdirSync(tools, { recursive: true });
    writeFileSync(
      join(tools, 'halve.tool.ts'),
      `import { defineGraph, payload, z } from 'tidegate/tool';
export default defineGraph({
  name: 'halve', title: 'Halve', description: 'Halves a number until it is odd.', effect: 'read',
  input: z.object({ n: z.int().min(1).describe('A number.') }),
  payloads: { look: payload<{ n: number }>() },
  first: 'look',
  nodes: (node) => ({
    look: node('look', ['look', 'exit'], ({ n }, { goto, exit }) => (n % 2 ? exit(String(n)) : goto('look', { n: n / 2 }))),
  }),
});`,
    );
    expect(other.run('trust', '--yes').status).toBe(0);
    expect(other.run('tools', 'call', 'halve', 'n=24').stdout.trim()).toBe('3');
    const { stdout } = other.run('tools', 'show', 'halve', '--graph');
    expect(stdout.trim().split('\n')).toEqual([
      'flowchart TD',
      '  start([start]) --> look',
      '  look --> look',
      '  look --> exit([exit])',
    ]);
    await expect.poll(() => collector.spans().length, { timeout: 20_000 }).toBe(5);
    const [root] = collector.spans().filter(({ name }) => name === 'tool.call.halve');
    const steps = collector.spans().filter(({ name }) => name === 'tool.step.look');
    expect(steps).toHaveLength(4);
    for (const step of steps) {
      expect(step).toMatchObject({ parentSpanId: root?.spanId, traceId: root?.traceId, isError: false });
    }
    await collector.close();
    other.close();
  });
});
