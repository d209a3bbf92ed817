import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeLines, writeFakeAgent } from '../support/fake-agent.js';
import { done } from '../support/flow.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';
import { type Ran, runGate, type RunMore } from '../support/run-program.js';

// Each code as a user meets it: what was typed, how it ends, and what to do next. What the last column holds is said;
// where it begins with `tidegate`, it is the next command to the letter.

type Row = [code: string, status: number, typed: string, expected?: string];

let plain: PluginPlace;
let plugged: PluginPlace;
/** With broken plugins, and nothing trusted. */
let broken: PluginPlace;
let wrong: PluginPlace;
const opened: PluginPlace[] = [];
afterAll(() => {
  for (const place of opened) place.close();
});

const command = (line: string, more: object = {}): object => ({
  type: 'command',
  command: line,
  on_success: 'done',
  ...more,
});
const flow = (states: object, more: object = {}): string =>
  JSON.stringify({ name: 'x', states: { initial: 'a', ...states, done }, ...more });
const call = (workflow: string, more: object = {}): string =>
  flow({ a: { type: 'call_workflow', workflow, on_success: 'done', ...more } });
const failure = { type: 'terminal', status: 'failure', message: 'no' };

const flows: Readonly<Record<string, string>> = {
  hello: flow({ a: command('echo {{.inputs.who}}') }, { inputs: [{ name: 'who', required: true }] }),
  empty: '',
  fails: flow({ a: command('exit 1') }),
  'ends-badly': flow({ a: command('true', { on_success: 'b' }), b: failure }),
  'calls-failing': call('fails'),
  'calls-wrongly': call('numbers', { inputs: { n: '{{.env.HOME}}' } }),
  numbers: flow({ a: command('true') }, { inputs: [{ name: 'n', type: 'integer' }] }),
  ...Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`deep-${at}`, call(`deep-${at + 1}`)])),
  'deep-13': flow({ a: command('true') }),
  depends: flow({ a: command('true', { depends_on: ['b'] }), b: command('true') }),
  'bad-value': flow({
    a: { type: 'for_each', items: [1], max_iterations: '{{.env.HOME}}', body: ['b'], on_complete: 'done' },
    b: command('true', { on_success: 'a' }),
  }),
  branches: flow({
    a: { type: 'parallel', parallel: ['b', 'c'], strategy: 'all_succeed', on_success: 'done' },
    b: command('true'),
    c: command('exit 1'),
  }),
  'no-tool': flow({
    a: {
      type: 'agent',
      provider: 'openai_compatible',
      prompt: 'go',
      options: { model: 'm' },
      tidegate: { tools: ['Reed'] },
      on_success: 'done',
    },
  }),
};

beforeAll(async () => {
  plain = opening({
    servers: { github: { command: 'x', enabled: false }, away: { command: 'no-such-program' } },
    builtins: ['*'],
  });
  for (const [name, text] of Object.entries(flows))
    plain.writeWorkspace(`.tidegate/workflows/${name}.yaml`, text);
  plain.writeWorkspace(
    '.tidegate/tools/torn.tool.mjs',
    `import { defineTool, ToolFailure, z } from 'tidegate/tool';
export default defineTool({ name: 'torn', title: 'T', description: 'D.', effect: 'read',
  input: z.object({ why: z.string().describe('Why.') }), run({ why }) { throw new ToolFailure(why, 'No.'); } });`,
  );
  const changes = command('echo "# more" >> part.sh', { on_success: 'b' });
  plain.writeWorkspace('part.sh', 'true\n');
  plain.writeWorkspace('.tidegate/workflows/changed.yaml', flow({ a: changes, b: command('sh part.sh') }));
  mkdirSync(join(plain.directory, 'locked', 'trust.json.lock'), { recursive: true, mode: 0o700 });
  const native = nativeLines('claude');
  // It cannot list its models.
  writeFileSync(join(plain.directory, 'codex'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  writeFakeAgent(plain.directory, 'claude', { cli: 'claude', lines: native, trialLines: native });

  plugged = opening({ builtins: ['*'] }, ['peer', 'other']);
  plugged.writeWorkspace(
    '.tidegate/tools/peer-echo.tool.mjs',
    `import { defineTool, z } from 'tidegate/tool';
export default defineTool({ name: 'peer_echo', title: 'T', description: 'D.', effect: 'read', input: z.object({}), run: () => '' });`,
  );
  const refused = { type: 'operation', operation: 'other.refuse', on_success: 'done' };
  plugged.writeWorkspace('refused.yaml', flow({ a: refused }));
  plugged.writeWorkspace('odd-step.yaml', flow({ a: { type: 'other.dance', on_success: 'done' } }));

  broken = opening({});
  broken.addPeer('odd', { manifest: { awf_version: 'soon' } });
  broken.addPeer('none');
  broken.writeWorkspace('.tidegate/plugins/awf-plugin-none/plugin.yaml', '');
  chmodSync(join(broken.addPeer('gone'), 'awf-plugin-gone'), 0o644);
  broken.writeList({ half: {} });
  wrong = opening({ serverz: {} });
  wrong.writeWorkspace('.tidegate/tools/taken.tool.ts', '');
  wrong.writeWorkspace('flow.yaml', flow({ a: command('true') }));
  await Promise.all([
    prepared(plain, 'trust', '.tidegate/workflows/changed.yaml', '--yes').then(() =>
      prepared(plain, 'trust', '--yes'),
    ),
    prepared(plugged, 'trust', '--yes').then(() => prepared(plugged, 'plugin', 'trust', '--yes')),
  ]);
  plugged.addPeer('fresh');
});

function opening(config: object, peers: readonly string[] = []): PluginPlace {
  const specs = Object.fromEntries(peers.map((name) => [name, {}] as const));
  const place = openPluginPlace(specs, { log: { level: 'error' }, ...config }, { trusted: false });
  opened.push(place);
  return place;
}

async function prepared(place: PluginPlace, ...words: readonly string[]): Promise<void> {
  const { status, stderr } = await runGate(place, words);
  if (status !== 0) throw new Error(stderr);
}

const usage: readonly Row[] = [
  ['usage.bad_arguments', 2, 'tools call Read nothing', 'tidegate tools show Read'],
  ['usage.bad_arguments', 2, 'tools call Read [1]', 'JSON, but not an object'],
  ['usage.bad_arguments', 2, 'tools call Read {bad', 'not valid JSON'],
  ['usage.bad_arguments', 2, 'tools call Read {} a=1', 'not both'],
  ['usage.bad_arguments', 2, 'tools call Read a=1 a=2', 'Duplicate argument: \\"a\\"'],
  ['usage.excess_arguments', 2, 'token create agent:bo', 'For example: tidegate token create --as agent:'],
  ['usage.missing_argument', 2, 'tools show', 'For example: tidegate tools show Read'],
  ['usage.missing_argument', 2, 'token attenuate', 'tidegate token list'],
  ['usage.bad_value', 2, 'audit --limit x', 'tidegate audit --limit 100'],
  ['usage.bad_value', 2, 'completion tcsh', 'Supported shells: bash, zsh, fish'],
  ['usage.bad_value', 2, 'run hello -i who', 'tidegate run hello -i who=value'],
  ['file.not_found', 3, 'access import nope.yaml'],
  ['file.not_found', 3, 'servers --config nope.yaml', 'tidegate config path'],
  ['code.not_found', 3, 'explain tool.not_fond', 'Did you mean \\"tool.not_found\\"?'],
  ['usage.exclusive', 2, 'run --resume x --profile full', 'tidegate run --resume x'],
  ['run.not_found', 1, 'runs show nope', 'tidegate runs list'],
  ['run.not_found', 1, 'run --resume nope', 'tidegate runs list'],
  ['workflow.invalid', 2, 'run empty', 'WORKFLOW.PARSE.MISSING_FIELD'],
  ['workflow.inputs', 1, 'run hello', 'Pass it with -i who='],
  ['workflow.inputs', 1, 'run hello -i wh=x', 'Did you mean who?'],
  ['workflow.no_step', 1, 'run hello -i who=x --step aa', 'Did you mean \\"a\\"?'],
  ['workflow.not_found', 1, 'run helo', 'Did you mean \\"hello\\"?'],
  ['tool.no_graph', 2, 'tools show Read --graph', 'tidegate tools show Read'],
  ['tool.not_found', 3, 'tools show away_x', 'tidegate servers away'],
  [
    'usage.missing_argument',
    2,
    'run --agent claude',
    'tidegate run --agent claude --prompt "What does this project do?" --tools Read',
  ],
  ['provider.disabled', 4, 'tools call github_x', 'tidegate servers github'],
  ['provider.disabled', 4, 'tools show github_x', 'Server github is disabled'],
  ['work.unsupported', 5, 'tools call torn why=unsupported', 'another approach'],
  ['work.conflict', 5, 'tools call torn why=conflict', 'decide what to do'],
  ['work.external', 5, 'tools call torn why=external', 'the error of that program'],
  ['work.timeout', 5, 'tools call torn why=timeout', 'Request less'],
  ['agent.not_found', 3, 'exec claud', 'Did you mean \\"claude\\"?'],
  ['agent.not_found', 3, 'doctor --agent claud', 'Did you mean \\"claude\\"?'],
  ['agent.undoing', 2, 'exec claude --json -- --mcp-config x', 'tidegate exec claude'],
  ['access.unknown_profile', 3, 'exec claude --profile nope', 'tidegate profile list'],
  ['access.unknown_profile', 3, 'profile show codng', 'tidegate profile list'],
  ['access.bad_principal', 2, 'grant bo Read --until 8h', 'tidegate grant agent:bo Read --until 8h --json'],
  ['access.bad_principal', 2, 'context --as bo', 'tidegate context --as agent:bo --json'],
  ['access.bad_principal', 2, 'check agnt:bo Read', 'tidegate check agent:bo Read --json'],
  ['token.bad_principal', 2, 'token create --as bo', 'tidegate token create --as agent:bo --json'],
  ['access.bad_request', 2, 'grant agent:bo', 'tidegate grant --help'],
  ['import.unknown_client', 3, 'import clade', 'Did you mean \\"claude\\"?'],
  ['login.no_http', 2, 'login github'],
  ['server.not_found', 3, 'servers githb', 'Did you mean \\"github\\"?'],
  ['http.cannot_listen', 2, 'serve --host 192.0.2.1', 'tidegate serve --host 127.0.0.1'],
  ['http.cannot_listen', 2, 'serve --host no-such-host.invalid', 'tidegate serve --host 127.0.0.1'],
];

describe.concurrent('of the command line', () => {
  it.each(usage)('%s, with status %i: %s', (...row) => meets(plain, row));
  it('agent.not_installed', () =>
    meets(plain, ['agent.not_installed', 4, 'exec gemini', 'npm install -g'], { env: { PATH: '/nowhere' } }));
  it('agent.leaks', () =>
    meets(plain, ['agent.leaks', 4, 'exec claude', 'tidegate doctor --agent claude'], {
      env: { PATH: `${plain.directory}:${process.env['PATH'] ?? ''}` },
    }));
  it('agent.failed', () =>
    meets(plain, ['agent.failed', 4, 'exec codex', 'tidegate doctor --agent codex'], {
      env: { PATH: `${plain.directory}:${process.env['PATH'] ?? ''}` },
    }));
  it('trust.unwritable', () =>
    meets(plain, ['trust.unwritable', 6, 'trust --yes'], {
      env: { TIDEGATE_HOME: join(plain.directory, 'locked') },
    }));
  it('state.unsafe', () => {
    const open = join(plain.directory, 'open-to-all');
    mkdirSync(open);
    chmodSync(open, 0o777);
    return meets(plain, ['state.unsafe', 6, 'tools list', 'tidegate doctor --only home'], {
      env: { TIDEGATE_HOME: open },
    });
  });
  // A file in place of the directory also stops root.
  it('state.unwritable', () =>
    meets(plain, ['state.unwritable', 6, 'run fails'], { env: { TIDEGATE_HOME: plain.configFile } }));
  it.skipIf(!existsSync('/dev/full'))('file.unwritable, reported where possible', async () => {
    const { status, stderr } = await runGate(plain, ['config', 'schema'], { stdout: '/dev/full' });
    expect(stderr).toMatch(/^error file\.unwritable: .*ENOSPC.*\nnext: \S/);
    expect(status).toBe(4);
  });
});

describe.concurrent('of workspaces', () => {
  it.each<Row>([
    ['config.invalid', 2, 'servers', 'tidegate config check'],
    ['config.invalid', 2, 'run flow.yaml', 'tidegate config check'],
    ['config.invalid', 2, 'exec claude', 'tidegate config check'],
    ['config.invalid', 2, 'trust', 'Nothing was trusted'],
    ['tool.exists', 2, 'tools new taken'],
  ])('%s, with status %i: %s', (...row) => meets(wrong, row));
  it.each<Row>([
    ['plugin.not_found', 3, 'plugin show peeer', 'Did you mean \\"peer\\"?'],
    ['plugin.collision', 4, 'plugin call peer echo text=a', 'tidegate plugin disable peer'],
    ['plugin.exists', 2, 'plugin new awf-plugin-fresh'],
    ['trust.not_asked', 6, 'plugin trust fresh', 'tidegate plugin trust fresh --yes'],
    ['EXECUTION.OPERATION.FAILED', 3, 'run refused.yaml', 'the disk is full'],
    ['WORKFLOW.VALIDATION.UNKNOWN_STEP_TYPE', 2, 'validate odd-step.yaml'],
  ])('%s, with status %i: %s', (...row) => meets(plugged, row));
  it.each<Row>([
    ['plugin.broken', 2, 'plugin trust odd', 'plugins.bad_manifest'],
    ['plugins.bad_manifest', 2, 'plugin trust odd'],
    ['plugins.unusable', 2, 'plugin trust gone'],
    ['plugins.bad_entry', 2, 'plugin list', 'exactly one of'],
    ['trust.not_asked', 6, 'trust', '--yes'],
  ])('%s, with status %i: %s', (...row) => meets(broken, row));
});

describe.concurrent('of workflows', () => {
  it.each<Row>([
    ['USER.INPUT.VALIDATION_FAILED', 1, 'run calls-wrongly'],
    ['WORKFLOW.VALIDATION.NESTING_TOO_DEEP', 2, 'validate deep-0'],
    ['WORKFLOW.VALIDATION.UNKNOWN_TOOL', 0, 'validate no-tool', 'Did you mean Read?'],
    ['EXECUTION.PARALLEL.PARTIAL_FAILURE', 3, 'run branches'],
    ['EXECUTION.CALL.FAILED', 3, 'run calls-failing'],
    ['EXECUTION.STEP.DEPENDENCY', 3, 'run depends'],
    ['EXECUTION.STEP.BAD_VALUE', 3, 'run bad-value'],
    ['EXECUTION.WORKFLOW.FAILED', 3, 'run ends-badly'],
  ])('%s, with status %i: %s', (...row) => meets(plain, row));
  it('EXECUTION.WORKFLOW.CHANGED, in the records of a run that an agent started', async () => {
    const called = await runGate(plain, ['tools', 'call', 'execute_workflow', 'workflow=changed', '--json']);
    const { structuredContent } = JSON.parse(called.stdout) as Said;
    const shown = await runGate(plain, ['runs', 'show', structuredContent?.run ?? '', '--json']);
    expect(shown.stdout).toContain('"EXECUTION.WORKFLOW.CHANGED"');
  });
});

/** Runs a command line, and checks its output as JSON and as text. */
async function meets(
  place: PluginPlace,
  [code, status, typed, expected = '']: Row,
  more: RunMore = {},
): Promise<void> {
  const words = typed.includes('--json') ? typed.split(' ') : [...typed.split(' '), '--json'];
  const env = { ...place.env, ...more.env };
  const ran = await runGate(place, words, { ...more, env });
  const all = ran.stdout + ran.stderr;
  expect(all).toContain(code);
  const next = nextOf(ran, code);
  expect(next, all).toMatch(/\S/);
  if (expected.startsWith('tidegate ')) expect(next).toBe(expected);
  else expect(all).toContain(expected);
  expect(ran.status, all).toBe(status);
}

interface Said {
  readonly error?: { readonly code: string; readonly next?: string; readonly problems?: readonly string[] };
  /** For a run. */
  readonly next?: string;
  readonly workflows?: readonly { readonly findings: readonly { code: string; remedy?: string }[] }[];
  readonly problems?: readonly { readonly code: string; readonly remedy: string }[];
  /** For a tool. */
  readonly structuredContent?: { readonly run: string };
}

/** The remedy for a code. */
function nextOf({ stdout }: Ran, code: string): string | undefined {
  const said = JSON.parse(stdout) as Said;
  if (said.error?.code === code) return said.error.next;
  if (said.error !== undefined) return said.error.problems?.find((line) => line.includes(code));
  const findings = [...(said.problems ?? []), ...(said.workflows ?? []).flatMap((one) => one.findings)];
  return said.next ?? findings.find((one) => one.code === code)?.remedy;
}
