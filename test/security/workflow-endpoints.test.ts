import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { openLoopback } from '../support/loopback.js';
import { isLiving } from '../support/proc.js';

// Built-in operations of workflows send requests and start programs. Agents get neither an HTTP client nor a choice of host.

let place: FlowPlace;
let agent: AgentClient;
let full: AgentClient;
let operator: AgentClient;
let server: Awaited<ReturnType<typeof openLoopback>>;
let other: Awaited<ReturnType<typeof openLoopback>>;
let base: string;
/** What the two servers were asked for. */
const seen: string[] = [];

beforeAll(async () => {
  place = openFlowPlace();
  other = await openLoopback((request, response) => {
    seen.push(`other ${request.url ?? ''}`);
    response.end('other');
  });
  server = await openLoopback((request, response) => {
    const { url = '', headers } = request;
    seen.push(`${url} ${headers.authorization ?? ''}`.trim());
    if (url === '/away')
      response.writeHead(307, { location: `http://127.0.0.1:${String(other.port)}/` }).end();
    else if (url === '/renamed')
      response.writeHead(307, { location: `http://localhost:${String(server.port)}/` }).end();
    else if (url === '/near') response.writeHead(307, { location: '/landed' }).end();
    else if (url.startsWith('/cut')) response.socket?.destroy();
    else response.end('ok');
  });
  base = `http://127.0.0.1:${String(server.port)}`;
  await place.run1(['grant', 'agent:small', 'execute_workflow']);
  await place.run1(['grant', 'agent:able', 'execute_workflow']);
  await place.run1(['profile', 'assign', 'agent:able', 'full']);
  agent = await openAgentClient(place, 'agent:small', { BASE: base, SCHEME: 'http:' });
  full = await openAgentClient(place, 'agent:able');
  operator = await openAgentClient(place, undefined);
});
afterAll(async () => {
  await Promise.all([agent.close(), full.close(), operator.close(), server.close(), other.close()]);
  place.close();
});
beforeEach(() => void seen.splice(0));

const request = (url: string, more: object = {}): object => ({
  type: 'operation',
  operation: 'http.request',
  inputs: { method: 'GET', url, ...more },
  on_success: 'done',
});
const webhook = (url: string): object => ({
  type: 'operation',
  operation: 'notify.send',
  inputs: { backend: 'webhook', message: 'hi', webhook_url: url },
  on_success: 'done',
});
const flow = (name: string, states: object, more: object = {}): string =>
  place.file(
    `.tidegate/workflows/${name}.yaml`,
    JSON.stringify({ name, ...more, states: { initial: 'a', ...states, done } }),
  );
const trust = (file: string): ReturnType<FlowPlace['run1']> => place.run1(['trust', file, '--yes']);
const inputs = [{ name: 'x', default: 'x' }];
const said = (answer: Promise<string>): Promise<string> => answer.catch(String);

describe('the tools of built-in operations', () => {
  const names = ['workflow_http_request', 'workflow_notify_send'];

  it('[16.23] appear in no list, search or call of the operator or of an agent with full access', async () => {
    for (const name of names) {
      const args = { method: 'GET', url: `${base}/direct`, fixed_host: true };
      for (const client of [full, operator]) {
        expect(await said(client.call(name, args))).toContain(`Unknown tool: ${name}`);
        expect(await said(client.call('call_tool', { name, arguments: args }))).toContain('Unknown tool');
        const found = await client.call('tool_search', { query: 'send an http request notification' });
        expect(found).not.toContain('workflow_http');
      }
      const given = Object.entries(args).map(([key, value]) => `${key}=${String(value)}`);
      expect((await place.run1(['tools', 'call', name, ...given])).status).not.toBe(0);
    }
    const listed = await place.run1(['tools', 'list']);
    expect(listed.stdout).toContain('execute_workflow');
    for (const name of names) expect(listed.stdout).not.toContain(name);
    expect(seen).toEqual([]);
    // Control: as an operation of a workflow that it may start, the same agent has it.
    expect((await trust(flow('have', { a: request(`${base}/have`) }))).status).toBe(0);
    expect(await full.call('execute_workflow', { workflow: 'have' })).toContain('completed');
    expect(seen).toEqual(['/have']);
  });

  it('[16.23] require the rights of the agent that starts the run', async () => {
    expect((await trust(flow('held', { a: request(`${base}/held`) }))).status).toBe(0);
    expect(await agent.call('execute_workflow', { workflow: 'held' })).toContain(
      'needs the tool workflow_http_request',
    );
    expect(seen).toEqual([]);
    // Control: with the grant it runs.
    expect((await place.run1(['grant', 'agent:small', 'workflow_http_request'])).status).toBe(0);
    expect(await agent.call('execute_workflow', { workflow: 'held' })).toContain('completed');
    expect(seen).toEqual(['/held']);
    // The grant is for workflows only.
    const direct = { method: 'GET', url: base, fixed_host: true };
    expect(await said(agent.call('workflow_http_request', direct))).toContain('Unknown tool');
  });
});

describe('the host of a request', () => {
  it('[16.23] cannot be trusted if an input, a result, a loop, a template or a caller chooses it', async () => {
    const command = { type: 'command', command: 'echo x', on_success: 'b' };
    for (const send of [request, webhook]) {
      const made = {
        name: 'made',
        parameters: [{ name: 'by' }],
        states: { made: send('{{.parameters.by}}') },
      };
      place.file('.tidegate/templates/made.yaml', JSON.stringify(made));
      flow('below', { a: send('{{.inputs.x}}') }, { inputs });
      const loop = { type: 'for_each', items: ['x'], body: ['b'], on_complete: 'done' };
      const called = {
        type: 'call_workflow',
        workflow: 'below',
        inputs: { x: '{{.inputs.x}}' },
        on_success: 'done',
      };
      const flows: readonly object[] = [
        ...[
          '{{.inputs.x}}',
          `${base}{{.inputs.x}}`,
          'http://127.0.0.1:{{.inputs.x}}/',
          '{{.env.SCHEME}}//{{.inputs.x}}/',
          '{{with .inputs}}http://{{.x}}/{{end}}',
        ].map((url) => ({ a: send(url) })),
        { a: command, b: send('http://{{.states.a.Output}}/') },
        { a: loop, b: { ...send('{{.loop.Item}}'), on_success: 'a' } },
        { a: { use_template: 'made', parameters: { by: '{{.inputs.x}}' }, on_success: 'done' } },
        { a: called },
      ];
      for (const states of flows) {
        const { status, stderr } = await trust(flow('chosen', states, { inputs }));
        expect(stderr, JSON.stringify(states)).toContain('determines which host receives the request');
        expect(status).toBe(2);
      }
    }
    const warned = await place.run1([
      'validate',
      flow('chosen', { a: request('{{.inputs.x}}') }, { inputs }),
    ]);
    expect(warned.stdout).toContain(
      'warning WORKFLOW.VALIDATION.UNSAFE_ENDPOINT: inputs.x determines which host',
    );
    // Control: what comes after the host may be chosen, and the host may come from the operator's environment.
    for (const url of [`${base}/{{.inputs.x}}`, `${base}?q={{.inputs.x}}`, '{{.env.BASE}}/{{.inputs.x}}']) {
      expect((await trust(flow('path', { a: request(url) }, { inputs }))).status).toBe(0);
      expect(await agent.call('execute_workflow', { workflow: 'path', inputs: { x: 'y' } })).toContain(
        'completed',
      );
    }
    expect(seen).toEqual(['/y', '/?q=y', '/y']);
  });

  it('[16.23] is checked again in the run of an agent, with the values of the environment', async () => {
    const file = flow('late', { a: request('{{.env.SCHEME}}/{{.inputs.x}}') }, { inputs });
    expect((await trust(file)).status).toBe(0);
    const x = `/127.0.0.1:${String(server.port)}/late`;
    expect(await agent.call('execute_workflow', { workflow: 'late', inputs: { x } })).toContain(
      'determines which host',
    );
    expect(seen).toEqual([]);
  });

  it('[16.23] can be in a private network only if the file names it', async () => {
    const port = String(server.port);
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
      '10.0.0.1',
      '169.254.169.254',
    ]) {
      const chosen = { states: { initial: 'a', a: request('{{.inputs.x}}', { timeout: 3 }), done }, inputs };
      const { result } = await place.flow(chosen, ['-i', `x=http://${host}:${port}/private`]);
      expect(result.steps[0]?.error?.message, host).toContain('the workflow file does not name it');
    }
    expect(seen).toEqual([]);
    // Control: the same address, written in the file.
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1'])
      expect(
        (await place.flow({ states: { initial: 'a', a: request(`http://${host}:${port}/named`), done } }))
          .status,
      ).toBe(0);
    expect(seen).toEqual(['/named', '/named', '/named']);
  });

  it('[16.23] stays the same through redirects', async () => {
    const headers = { Authorization: 'Bearer of-this-host' };
    for (const path of ['/away', '/renamed']) {
      const { result } = await place.flow({
        states: { initial: 'a', a: request(base + path, { headers }), done },
      });
      expect(result.steps[0]?.error?.message).toContain('Redirects to another host are not followed');
    }
    expect(seen).toEqual(['/away Bearer of-this-host', '/renamed Bearer of-this-host']);
    // Control: a redirect to the same host is followed, with the headers.
    expect(
      (await place.flow({ states: { initial: 'a', a: request(`${base}/near`, { headers }), done } })).status,
    ).toBe(0);
    expect(seen.at(-1)).toBe('/landed Bearer of-this-host');
  });
});

it('[16.23] the trust screen shows endpoints, header names, variables and hosts that are not constant, and no secret', async () => {
  const headers = {
    Authorization: 'Bearer {{.env.API_TOKEN}}',
    'X-Api-Key': 'written-secret',
    Accept: 'text/plain',
  };
  const file = flow(
    'screen',
    {
      a: {
        ...request(`${base}/{{.inputs.x}}?k={{.env.QUERY_KEY}}`, {
          headers,
          body: 'sent {{.env.BODY_WORD}}',
        }),
        on_success: 'b',
      },
      b: { ...webhook('{{.env.HOOK_URL}}'), on_success: 'c' },
      c: {
        type: 'operation',
        operation: 'notify.send',
        inputs: { backend: 'desktop', message: 'end-of-message' },
        on_success: 'done',
      },
    },
    { inputs },
  );
  const chosen = flow('screen-chosen', { a: request('http://{{.inputs.x}}/') }, { inputs });
  const words = [
    `endpoint: GET ${base}/{{.inputs.x}}?k={{.env.QUERY_KEY}}`,
    'header: Authorization = Bearer {{.env.API_TOKEN}}',
    'header: X-Api-Key (value in the file)',
    'header: Accept = text/plain',
    'body: sent {{.env.BODY_WORD}}',
    'sends environment variables: API_TOKEN, BODY_WORD, QUERY_KEY',
    'endpoint: POST {{.env.HOOK_URL}}',
    'sends environment variables: HOOK_URL',
    'starts: the notification program of the system (notify-send, osascript)',
    'end-of-message',
  ];
  for (const { stdout, status } of [await place.run1(['run', file, '--dry-run']), await trust(file)]) {
    expect(status).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
    expect(stdout).not.toContain('written-secret');
    expect(stdout).not.toContain('not constant');
  }
  const dry = await place.run1(['run', chosen, '--dry-run']);
  expect(dry.stdout).toContain('the host is not constant: inputs.x determines it');
});

it('[16.23] a failed request leaves no secret in output, log or records', async () => {
  const token = 'tok-3f9a8c1d77e24b50';
  const env = { ...place.env, API_TOKEN: token };
  const headers = { Authorization: 'Bearer {{.env.API_TOKEN}}' };
  const inputsOf = (path: string): object => ({
    states: { initial: 'a', a: request(`${base}${path}?k={{.env.API_TOKEN}}`, { headers }), done },
  });
  const file = flow('leak', (inputsOf('/cut') as { states: object }).states);
  const { stdout, stderr, status } = await place.run1(['run', file, '--json'], { env });
  expect(status).toBe(3);
  const { folder } = JSON.parse(stdout) as { folder: string };
  const records = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(records.length).toBeGreaterThan(1);
  for (const text of [stdout, stderr, ...records]) expect(text).not.toContain(token);
  // Control: the server got it, twice.
  expect(seen).toEqual([`/cut?k=${token} Bearer ${token}`]);
});

describe.runIf(process.platform === 'linux')('a desktop notification', () => {
  const note = (message: string): object => ({
    states: {
      initial: 'a',
      a: {
        type: 'operation',
        operation: 'notify.send',
        inputs: { backend: 'desktop', message },
        on_success: 'done',
      },
      done,
    },
  });
  const plant = (folder: string, lines: string): string => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(folder, 'notify-send'), 0o755);
    return folder;
  };
  const withPath = (folder: string) => ({ env: { ...place.env, PATH: `${folder}:/usr/bin:/bin` } });

  it('[16.23] starts no program that came with the project', async () => {
    const mark = join(place.directory, 'planted');
    const inside = plant(join(place.workspace, 'bin'), `touch ${mark}`);
    await place.flow(note('hi'), [], withPath(inside));
    expect(existsSync(mark)).toBe(false);
    // Control: the same program outside of it.
    const outside = plant(join(place.directory, 'good'), `touch ${mark}`);
    expect((await place.flow(note('hi'), [], withPath(outside))).status).toBe(0);
    expect(existsSync(mark)).toBe(true);
  });

  it('[16.23] ends a program that hangs, with all its processes', async () => {
    const file = join(place.directory, 'pid');
    const slow = plant(join(place.directory, 'slow'), `sleep 300 & echo $! > ${file}; wait`);
    const { result } = await place.flow(note('hi'), [], withPath(slow));
    expect(result.steps[0]?.error?.message).toContain('did not finish within 5 s');
    expect(isLiving(Number(readFileSync(file, 'utf8')))).toBe(false);
  });
});
