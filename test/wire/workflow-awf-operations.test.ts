import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { done, type FlowPlace, type FlowResult, openFlowPlace } from '../support/flow.js';
import { openLoopback } from '../support/loopback.js';
import { openPluginPlace } from '../support/plugin-place.js';
import { runGate } from '../support/run-program.js';

// `http.request` and `notify.send` run as AWF documents them, through the gateway, against a real HTTP server.

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let place: FlowPlace;
let server: Awaited<ReturnType<typeof openLoopback>>;
let base: string;
const seen: Seen[] = [];
/** Number of closed connections to `/slow`. */
let closed = 0;
/** Statuses that `/flaky` returns one after the other; then 200. */
let statuses: number[] = [];

beforeAll(async () => {
  place = openFlowPlace();
  server = await openLoopback((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      if (url === '/large') return response.end('é'.repeat(600_000));
      if (url === '/slow') return response.once('close', () => (closed += 1));
      if (url === '/moved') return response.writeHead(302, { location: '/landed' }).end();
      if (url === '/kept') return response.writeHead(307, { location: '/landed' }).end();
      if (url === '/broken') return response.writeHead(500).end('no');
      const status = url === '/flaky' ? (statuses.shift() ?? 200) : url === '/missing' ? 404 : 200;
      response.writeHead(status, [
        ['content-type', 'application/json'],
        ['x-tag', 'a'],
        ['x-tag', 'b'],
      ] as never);
      return response.end(`{"path":"${url}"}`);
    });
  });
  base = `http://127.0.0.1:${String(server.port)}`;
});
afterAll(async () => {
  await server.close();
  place.close();
});
beforeEach(() => void seen.splice(0));

const flow = (inputs: object, more: object = {}, operation = 'http.request'): object => ({
  states: { initial: 'a', a: { type: 'operation', operation, inputs, on_success: 'done', ...more }, done },
});
const request = (path: string, more: object = {}): object => ({ method: 'GET', url: base + path, ...more });
const responseOf = (result: FlowResult): Readonly<Record<string, unknown>> =>
  JSON.parse(result.steps[0]?.output ?? '{}') as Readonly<Record<string, unknown>>;

describe('http.request', () => {
  it('[16.23] validates without a warning', async () => {
    const file = place.file('valid.yaml', JSON.stringify({ name: 'x', ...flow(request('/')) }));
    const { stdout, status } = await place.run1(['validate', file]);
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('warning')]);
  });

  it('[16.23] returns status_code, body, headers and body_truncated, which later steps can use', async () => {
    const { status, result } = await place.flow({
      states: {
        initial: 'a',
        a: { type: 'operation', operation: 'http.request', inputs: request('/one'), on_success: 'b' },
        b: {
          type: 'command',
          command:
            'echo {{.states.a.Response.status_code}} {{.states.a.Response.body_truncated}} {{escape .states.a.Response.body}}',
          on_success: 'done',
        },
        done,
      },
    });
    expect(status).toBe(0);
    const { headers, ...rest } = responseOf(result);
    expect(rest).toEqual({ status_code: 200, body: '{"path":"/one"}', body_truncated: false });
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'X-Tag': 'a, b' });
    expect(result.steps[1]?.output.trim()).toBe('200 false {"path":"/one"}');
  });

  it('[16.23] sends method, headers and body with templates filled in, in any letter case', async () => {
    const inputs = {
      method: 'post',
      url: `${base}/users/{{.inputs.id}}?x=1`,
      headers: { Authorization: 'Bearer {{.inputs.id}}', 'X-Count': 3 },
      body: '{"id": "{{.inputs.id}}"}',
    };
    const workflow = { ...flow(inputs), inputs: [{ name: 'id', default: '7' }] };
    expect((await place.flow(workflow)).status).toBe(0);
    expect(seen).toMatchObject([{ method: 'POST', url: '/users/7?x=1', body: '{"id": "7"}' }]);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer 7', 'x-count': '3' });
    for (const method of ['PUT', 'DELETE']) await place.flow(flow(request('/', { method })));
    expect(seen.slice(1).map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
  });

  it('[16.23] succeeds with any status except retryable_status_codes', async () => {
    const missing = await place.flow(flow(request('/missing')));
    expect([missing.status, responseOf(missing.result)['status_code']]).toEqual([0, 404]);
    statuses = [503];
    const failed = await place.flow(flow(request('/flaky', { retryable_status_codes: [429, 503] })));
    expect([failed.status, failed.result.code]).toEqual([3, 'EXECUTION.OPERATION.FAILED']);
    expect(failed.result.steps[0]?.error?.message).toContain('status 503');
    expect(responseOf(failed.result)).toMatchObject({ status_code: 503, body: '{"path":"/flaky"}' });
  });

  it('[16.23] is retried for these statuses, and for nothing else without may_repeat', async () => {
    const retry = { max_attempts: 3, initial_delay: '1ms' };
    const codes = { retryable_status_codes: [503] };
    statuses = [503, 503];
    const workflow = flow(request('/flaky', codes), { retry });
    const file = place.file('retry.yaml', JSON.stringify({ name: 'x', ...workflow }));
    expect((await place.run1(['validate', file])).stdout).not.toContain('warning');
    const { status, result } = await place.flow(workflow);
    expect([status, result.steps[0]?.attempts, seen.length]).toEqual([0, 3, 3]);
    const away = flow({ method: 'GET', url: 'http://127.0.0.1:9/', ...codes }, { retry });
    expect((await place.flow(away)).result.steps[0]?.attempts).toBe(1);
    const repeated = flow(
      { method: 'GET', url: 'http://127.0.0.1:9/' },
      { retry: { ...retry, may_repeat: true } },
    );
    expect((await place.flow(repeated)).result.steps[0]?.attempts).toBe(3);
  });

  it('[16.23] cuts a body at 1 MiB between characters, and says so', async () => {
    const { result } = await place.flow(flow(request('/large')));
    const { body, body_truncated: isCut } = responseOf(result) as { body: string; body_truncated: boolean };
    expect([isCut, Buffer.byteLength(body), new Set(body).size]).toEqual([true, 1_048_576, 1]);
  });

  it('[16.23] ends after its timeout in seconds', async () => {
    const began = performance.now();
    const { result } = await place.flow(flow(request('/slow', { timeout: 1 })));
    expect(result.steps[0]?.error?.message).toMatch(/within 1 s/);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('[16.23] ends at the timeout of its step, and closes the connection', async () => {
    closed = 0;
    const { result } = await place.flow(flow(request('/slow'), { timeout: '1s' }));
    expect(result.code).toBe('EXECUTION.COMMAND.TIMEOUT');
    await expect.poll(() => closed).toBe(1);
  });

  it('[16.23] follows redirects on the same host: 302 becomes GET, 307 keeps method and body', async () => {
    for (const path of ['/moved', '/kept']) {
      const { status } = await place.flow(flow(request(path, { method: 'POST', body: 'x' })));
      expect(status).toBe(0);
    }
    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'POST /moved x',
      'GET /landed ',
      'POST /kept x',
      'POST /landed x',
    ]);
  });

  it.each([
    [{ method: 'PATCH' }, '"GET","POST","PUT","DELETE"'],
    [{ url: 'ftp://127.0.0.1/' }, 'http:// or https://'],
    [{ url: 'http://me:secret-word@127.0.0.1:9/' }, 'must not contain a user name or password'],
    [{ headers: { Host: 'elsewhere' } }, 'Host'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'X-A'],
    [{ body: { a: 1 } }, 'body'],
  ])('[16.23] refuses %j with a reason', async (more, reason) => {
    const { status, result } = await place.flow(flow({ method: 'GET', url: `${base}/`, ...more }));
    expect([status, result.code]).toEqual([3, 'EXECUTION.OPERATION.FAILED']);
    expect(result.steps[0]?.error?.message).toContain(reason);
    expect(JSON.stringify(result)).not.toContain('secret-word');
    expect(seen).toEqual([]);
  });

  it.each([
    ['http.request', { url: 'http://127.0.0.1/' }, 'requires the input "method"'],
    ['http.request', { url: 'http://127.0.0.1/', method: 'GET', tmeout: 3 }, 'has no input "tmeout"'],
    ['http.get', {}, '"http" has no "get"'],
    ['notify.sent', {}, 'Did you mean notify.send?'],
  ])('[16.23] is checked by validate: %s %j', async (operation, inputs, message) => {
    const file = place.file('wrong.yaml', JSON.stringify({ name: 'x', ...flow(inputs, {}, operation) }));
    const { stdout, status } = await place.run1(['validate', file]);
    expect(stdout).toContain(message);
    expect(status).toBe(2);
  });

  it('[16.23] is limited by the profile of the run, and logged as a call', async () => {
    const { result } = await place.flow(flow(request('/')));
    expect(JSON.stringify(place.logLines(result))).toContain('workflow_http_request');
    const held = await place.flow(flow(request('/held')), ['--profile', 'minimal']);
    expect(held.result.code).toBe('EXECUTION.OPERATION.FAILED');
    expect(held.result.steps[0]?.error?.message).toContain('workflow_http_request');
    expect(seen.map(({ url }) => url)).toEqual(['/']);
  });

  it('[16.23] is replaced by a plugin named http', async () => {
    const peers = openPluginPlace({ http: { extra: ['request'] } }, { builtins: ['*'] });
    try {
      peers.trustPlugins('http');
      peers.writeWorkspace('taken.yaml', JSON.stringify({ name: 'x', ...flow(request('/taken')) }));
      const { stdout } = await runGate(peers, ['run', 'taken.yaml', '--json']);
      const { status, steps } = JSON.parse(stdout) as FlowResult;
      expect([status, steps[0]?.output]).toEqual(['completed', expect.stringContaining('request')]);
      expect(seen).toEqual([]);
    } finally {
      peers.close();
    }
  });
});

describe('notify.send', () => {
  const send = (inputs: object): object => flow({ message: 'hi', ...inputs }, {}, 'notify.send');

  it('[16.23] posts JSON to a webhook, with the defaults of AWF', async () => {
    const { status, result } = await place.flow(send({ backend: 'webhook', webhook_url: `${base}/hook` }));
    expect(status).toBe(0);
    expect(responseOf(result)).toEqual({ backend: 'webhook', status: 200, response: '{"path":"/hook"}' });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/hook' });
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      title: 'AWF Workflow',
      message: 'hi',
      priority: 'default',
    });
  });

  it.each([
    [{ backend: 'webhook' }, 'webhook_url'],
    [{ backend: 'pager' }, 'backend'],
    [{ backend: 'desktop', priority: 'urgent' }, 'priority'],
  ])('[16.23] refuses %j', async (inputs, reason) => {
    const { status, result } = await place.flow(send(inputs));
    expect([status, result.code]).toEqual([3, 'EXECUTION.OPERATION.FAILED']);
    expect(result.steps[0]?.error?.message).toContain(reason);
  });

  it('[16.23] fails when the webhook does not answer with 2xx', async () => {
    const { result } = await place.flow(send({ backend: 'webhook', webhook_url: `${base}/broken` }));
    expect(result.steps[0]?.error?.message).toContain('status 500');
  });

  it.runIf(process.platform === 'linux')(
    '[16.23] starts notify-send for a desktop notification',
    async () => {
      const bin = join(place.directory, 'bin');
      const told = join(place.directory, 'told');
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'notify-send'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${told}\n`);
      chmodSync(join(bin, 'notify-send'), 0o755);
      const env = { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
      const inputs = { backend: 'desktop', title: 'Build', message: '--hint=x', priority: 'high' };
      const { status, result } = await place.flow(send(inputs), [], { env });
      expect(status).toBe(0);
      expect(responseOf(result)).toEqual({
        backend: 'desktop',
        status: 0,
        response: 'notification sent via linux',
      });
      expect(readFileSync(told, 'utf8').trim().split('\n')).toEqual([
        '--urgency=critical',
        '--',
        'Build',
        '--hint=x',
      ]);
    },
  );

  it.runIf(process.platform === 'linux')('[16.23] reports a missing notify-send', async () => {
    const env = { ...place.env, PATH: join(place.directory, 'none') };
    const { result } = await place.flow(send({ backend: 'desktop' }), [], { env });
    expect(result.steps[0]?.error?.message).toContain('notify-send');
  });
});
