import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { defaultConfig, telemetryFromEnvironment } from '../../config/index.js';
import { isRunning } from '../../services/processes/is-running.js';
import { runningFile } from '../serving.js';
import type { Check, Finding } from './check.js';
import { reasonOf } from './home-view.js';
import type { Scene } from './scene.js';

export const outsideChecks: readonly Check[] = [
  {
    id: 'serve',
    group: 'outside',
    title: 'Port of serve',
    why: '`tidegate serve` listens there; another program at the port keeps it from starting.',
    remedy: 'Stop the other program, or take another port: `http.port` in tidegate.yaml, or `--port`.',
    run: async (scene) => [await portFinding(scene)],
  },
  {
    id: 'telemetry',
    group: 'outside',
    title: 'Telemetry',
    why: 'Spans that nobody takes are lost, and nobody is told while the gate runs.',
    remedy: 'Look whether the collector runs at the address, and whether it takes OTLP over HTTP.',
    run: async (scene) => [await telemetryFinding(scene)],
  },
];

async function portFinding(scene: Scene): Promise<Finding> {
  const located = await scene.located();
  const running = scene.obstacle() === undefined ? readRunning(runningFile(scene.home)) : undefined;
  if (running !== undefined)
    return {
      state: 'ok',
      detail: `a gate runs at ${running.url} (process ${String(running.pid)})`,
      facts: running,
    };
  const { port, host } = (located?.isTrusted === true ? located.config : defaultConfig(scene.cwd)).http;
  if (port === 0) return { state: 'skipped', detail: 'it takes any free one' };
  const place = `${host}:${String(port)}`;
  const problem = await listening(port, host);
  if (problem === undefined) return { state: 'ok', detail: `${place} is free` };
  const isTaken = problem === 'EADDRINUSE';
  const detail = `${place}: ${isTaken ? 'another program listens there' : problem}`;
  return {
    state: 'warn',
    detail,
    next: isTaken ? 'tidegate serve --port 0' : 'set http.host in tidegate.yaml',
  };
}

/** The code of what keeps us from listening there; undefined when nothing does. */
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

/** An empty batch is sent, with the headers that spans have: what comes back is what spans would get. */
async function telemetryFinding(scene: Scene): Promise<Finding> {
  const located = await scene.located();
  const ofFile = located?.isTrusted === true ? located.config.telemetry : undefined;
  if (located?.isTrusted === false && located.config.telemetry !== undefined)
    return { state: 'skipped', detail: 'the file is not trusted: nothing is sent where it says' };
  const collector = ofFile ?? telemetryFromEnvironment(scene.env);
  if (collector === undefined) return { state: 'skipped', detail: 'no collector is set' };
  const place = placeOf(collector.endpoint);
  const next = 'look at telemetry.endpoint in tidegate.yaml, or OTEL_EXPORTER_OTLP_ENDPOINT';
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
    if (response.ok) return { state: 'ok', detail: `${place} takes spans`, facts };
    return { state: 'fail', detail: `${place} answers ${String(response.status)}`, next, facts };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { state: 'fail', detail: `${place} cannot be reached: ${reasonOf(cause)}`, next };
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
