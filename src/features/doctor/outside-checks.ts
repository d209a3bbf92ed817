import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { defaultConfig, telemetryFromEnvironment } from '../../config/index.js';
import { isRunning } from '../../lib/is-running.js';
import { runningFile } from '../../workspace/serving.js';
import type { Check, Finding } from './check.js';
import { messageOf } from '../../lib/error-message.js';
import type { Scene } from './scene.js';

export const outsideChecks: readonly Check[] = [
  {
    id: 'serve',
    group: 'outside',
    title: 'HTTP port',
    why: '`tidegate serve` listens on this port. If another program uses it, `serve` cannot start.',
    remedy: 'Stop the other program, or choose another port with `http.port` in tidegate.yaml or `--port`.',
    run: async (scene) => [await portFinding(scene)],
  },
  {
    id: 'telemetry',
    group: 'outside',
    title: 'Telemetry',
    why: 'If the collector does not accept spans, they are lost without an error while Tidegate runs.',
    remedy: 'Check that the collector runs at this address and accepts OTLP over HTTP.',
    run: async (scene) => [await telemetryFinding(scene)],
  },
];

async function portFinding(scene: Scene): Promise<Finding> {
  const located = await scene.located();
  const running = scene.obstacle() === undefined ? readRunning(runningFile(scene.home)) : undefined;
  if (running !== undefined)
    return {
      state: 'ok',
      detail: `Tidegate is serving at ${running.url} (pid ${String(running.pid)})`,
      facts: running,
    };
  const { port, host } = (located?.isTrusted === true ? located.config : defaultConfig(scene.cwd)).http;
  if (port === 0) return { state: 'skipped', detail: '`http.port` is 0: any free port is used' };
  const place = `${host}:${String(port)}`;
  const problem = await listening(port, host);
  if (problem === undefined) return { state: 'ok', detail: `${place} is free` };
  const isTaken = problem === 'EADDRINUSE';
  const detail = `${place}: ${isTaken ? 'in use by another program' : problem}`;
  return {
    state: 'warn',
    detail,
    next: isTaken ? 'tidegate serve --port 0' : 'set http.host in tidegate.yaml',
  };
}

/** The error code if the port cannot be opened; undefined if it can. */
function listening(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function readRunning(file: string): { readonly url: string; readonly pid: number } | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;
    return typeof url === 'string' && isPid && isRunning(pid) ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}

const answerMs = 5000;

/** Sends an empty batch with the headers of real spans, so the response is what spans would get. */
async function telemetryFinding(scene: Scene): Promise<Finding> {
  const located = await scene.located();
  const ofFile = located?.isTrusted === true ? located.config.telemetry : undefined;
  if (located?.isTrusted === false && located.config.telemetry !== undefined)
    return {
      state: 'skipped',
      detail: 'the configuration file is not trusted, so nothing is sent to its collector',
    };
  const collector = ofFile ?? telemetryFromEnvironment(scene.env);
  if (collector === undefined) return { state: 'skipped', detail: 'no collector configured' };
  const place = placeOf(collector.endpoint);
  const next = 'check telemetry.endpoint in tidegate.yaml, or OTEL_EXPORTER_OTLP_ENDPOINT';
  try {
    const response = await fetch(collector.endpoint, {
      method: 'POST',
      headers: { ...collector.headers, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      redirect: 'manual',
      signal: AbortSignal.any([scene.signal, AbortSignal.timeout(answerMs)]),
    });
    await response.body?.cancel();
    const facts = { endpoint: place, status: response.status };
    if (response.ok) return { state: 'ok', detail: `${place} accepts spans`, facts };
    return { state: 'fail', detail: `${place} returned HTTP ${String(response.status)}`, next, facts };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { state: 'fail', detail: `${place} cannot be reached: ${messageOf(cause)}`, next };
  }
}

function placeOf(endpoint: string): string {
  try {
    const { origin, pathname } = new URL(endpoint);
    return `${origin}${pathname}`;
  } catch {
    return endpoint;
  }
}
