import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runOpenai } from '../../agents/index.js';
import { createOpenAccess, openHall } from '../../../test/support/gateway.js';
import { treeOf } from '../../../test/support/tree-of.js';
import { content, createToolFilter, type Session } from '../../core/index.js';
import { createNoPlugins } from '../../ports/no-plugins.js';
import { JsonText } from '../../lib/json-text.js';
import type { Plugins } from '../../ports/plugins.js';
import {
  createFakeProvider,
  openScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../testing/index.js';
import { readWorkflow } from '../grammar/read-workflow.js';
import { openLibrary } from '../library.js';
import { beginJournal } from './journal.js';
import { type RunResult, runWorkflow } from './run-workflow.js';
import { openTranscript } from './transcript.js';

// Plugins as the runner sees them: operations are gateway tools, everything else goes through the port.

const operator: Session = { id: 's', principal: { kind: 'user', id: 'ann', zone: 'z' }, scope: 'connection' };

let folder: string;
let model: ScriptedModel | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-plugin-run-'));
});
afterEach(async () => {
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});

const executed: unknown[] = [];
const provider = () =>
  createFakeProvider('k8s', {
    k8s_apply: (call) => {
      executed.push(call.input);
      return content(
        JsonText.from({ content: [{ type: 'text', text: 'applied' }], structuredContent: { pods: 3 } }),
      );
    },
    k8s_delete: () => content(JsonText.from({ content: [{ type: 'text', text: 'gone' }] })),
    Read: () => content(JsonText.from({ content: [{ type: 'text', text: 'read' }] })),
  });

async function run(states: object, plugins: Partial<Plugins> = {}): Promise<RunResult> {
  executed.length = 0;
  const root = treeOf({ name: 'x', states: { initial: 'a', ...states, done: { type: 'terminal' } } });
  const { workflow } = readWorkflow({ file: join(folder, 'x.yaml'), text: '', root }, () => undefined);
  const filters = new Map<string, (name: string) => boolean>();
  const isVisible = (session: Session, name: string): boolean => filters.get(session.id)?.(name) ?? true;
  const access = createOpenAccess((session, spec) => spec.kind === 'tool' && !isVisible(session, spec.name));
  const gateway = openHall({ providers: [provider()], access });
  let count = 0;
  const journal = beginJournal(join(folder, `journal-${String(Math.random())}`), {
    kind: 'run',
    id: 'r',
    name: 'x',
    file: '',
    sha256: '',
    cwd: folder,
    startedAt: '',
    version: '0',
    inputs: {},
    withheld: [],
    startedBy: 'user:a',
  });
  const transcript = openTranscript({
    file: join(folder, 'transcript'),
    runId: 'r',
    redact: (value) => value,
    now: () => 0,
  });
  try {
    return await runWorkflow(
      {
        runId: 'r',
        workflow,
        inputs: {},
        journal,
        transcript,
        isResumed: false,
        signal: new AbortController().signal,
      },
      {
        library: openLibrary({
          cwd: folder,
          folders: [folder],
          homes: [],
          roots: [folder],
          env: {},
          readSource: (file) => ({ file, text: '', root, flaws: [] }),
        }),
        env: {},
        processes: {
          start: () => Promise.reject(new Error('no processes here')),
          close: () => Promise.resolve(),
        },
        gateway,
        session: operator,
        tickets: {
          issue: ({ step, tools }) => {
            filters.set(step, createToolFilter(tools));
            return Promise.resolve(step);
          },
          redeem: (ticket) => ({ ...operator, id: ticket }),
        },
        plugins: { ...createNoPlugins(), ...plugins },
        agents: { openai_compatible: runOpenai },
        redact: (value) => value,
        folder,
        version: '0',
        newRequestId: () => `r${String((count += 1))}`,
        identity: { user: 'ann', hostname: 'h' },
        now: () => Date.now(),
        onEvent: () => undefined,
      },
    );
  } finally {
    journal.close();
    transcript.close();
    await gateway.close();
  }
}

async function agent(turns: readonly ScriptedTurn[], proxy: object): Promise<object> {
  model = await openScriptedModel(turns);
  return {
    a: {
      type: 'agent',
      provider: 'openai_compatible',
      prompt: 'go',
      options: { base_url: model.url, model: 'm' },
      mcp_proxy: proxy,
      on_success: 'done',
    },
  };
}

const exposed = { plugin_tools: [{ plugin: 'k8s', expose: ['apply'] }] };
const known: Partial<Plugins> = {
  check: () => Promise.resolve({ problems: [], unchecked: [], tools: ['k8s_apply'] }),
};

describe('AC-2: plugin operations for agents', () => {
  it('are the only tools if built-in tools are not intercepted, and pass arguments to the plugin', async () => {
    const states = await agent(
      [
        { calls: [{ name: 'k8s_apply', arguments: { file: 'pod.yaml' } }, { name: 'k8s_delete' }] },
        { say: 'ok' },
      ],
      { enable: true, intercept_builtins: false, ...exposed },
    );
    const { status } = await run(states, known);
    expect(status).toBe('completed');
    expect(model?.requests[0]?.tools).toEqual(['k8s_apply']);
    expect(executed).toEqual([{ name: 'k8s_apply', arguments: { file: 'pod.yaml' } }]);
    expect(model?.requests[1]?.messages.at(-1)?.text).toContain('tool.not_found');
  });

  it('are added to the built-in tools otherwise', async () => {
    const states = await agent([{ say: 'ok' }], { enable: true, ...exposed });
    await run(states, known);
    expect(model?.requests[0]?.tools).toEqual(['k8s_apply', 'Read']);
  });

  it.each([
    'USER.MCP_PROXY.UNKNOWN_PLUGIN',
    'USER.MCP_PROXY.UNKNOWN_OPERATION',
    'USER.MCP_PROXY.NAME_COLLISION',
  ] as const)('stop the step with %s before the model is asked', async (code) => {
    const states = await agent([{ say: 'ok' }], { enable: true, ...exposed });
    const problem = { code, message: 'no', entry: 0 };
    const result = await run(states, {
      check: () => Promise.resolve({ problems: [problem], unchecked: [], tools: [] }),
    });
    expect(result).toMatchObject({ status: 'failed', code });
    expect(model?.requests).toEqual([]);
  });
});

describe('plugin steps', () => {
  it('call an operation through the gateway, and keep its text and data', async () => {
    const { status, states } = await run({
      a: {
        type: 'operation',
        operation: 'k8s.apply',
        inputs: { n: '{{.workflow.Name}}' },
        on_success: 'done',
      },
    });
    expect(status).toBe('completed');
    expect(states.get('a')).toMatchObject({ output: 'applied', response: { pods: 3 } });
    expect(executed).toEqual([{ name: 'k8s_apply', arguments: { n: 'x' } }]);
  });

  it('run a step type of a plugin', async () => {
    const asked: unknown[] = [];
    const runStep: Plugins['runStep'] = (step) => {
      asked.push(step);
      return Promise.resolve({ ok: true, value: { output: 'rows', data: { rows: 2 }, exitCode: 0 } });
    };
    const { states } = await run(
      { a: { type: 'pg.query', config: { sql: 'select 1' }, on_success: 'done' } },
      { runStep },
    );
    expect(states.get('a')).toMatchObject({ output: 'rows', response: { rows: 2 } });
    expect(asked).toEqual([
      { plugin: 'pg', stepType: 'query', stepName: 'a', config: { sql: 'select 1' }, inputs: {} },
    ]);
    expect(readFileSync(join(folder, 'transcript'), 'utf8')).toContain('"kind":"plugin"');
  });
});
