import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate, handshake } from '../plugin-protocol/index.js';
import { answersOf } from './answers.js';
import type { Plugin } from './define-plugin.js';
import { takeOverOutput } from './stray-output.js';

const parentMs = 1_000;
const tries = 20;

/** Serves a plugin until its host stops it. Call it once, in the plugin's main file. */
export async function servePlugin(plugin: Plugin): Promise<void> {
  const { env } = process;
  if (env[handshake.cookieName] !== handshake.cookie) return refuse(plugin, 'must be started by its host');
  const versions = (env['PLUGIN_PROTOCOL_VERSIONS'] ?? handshake.appVersion).split(',');
  if (!versions.includes(handshake.appVersion))
    return refuse(plugin, 'supports only version 1 of the plugin protocol');
  // Must come first: from here on, printed output is redirected.
  const output = takeOverOutput(process.stdout);
  const life = new AbortController();
  const { createGrpcServer } = await import('./grpc-server.js');
  const server = createGrpcServer({
    answers: answersOf(plugin),
    output,
    life: life.signal,
    onShutdown: () => void end(),
  });
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= finish());
  async function finish(): Promise<void> {
    life.abort();
    await server.close();
    if (socket !== undefined) rmSync(socket, { force: true });
    process.exit(0);
  }
  endWithOthers(() => void end());
  const identity = env['PLUGIN_CLIENT_CERT'] ? createIdentity() : undefined;
  const { address, socket } = await listen(env, (at) =>
    server.listen(
      at,
      identity && {
        clientCertificate: env['PLUGIN_CLIENT_CERT'] ?? '',
        key: identity.key,
        certificate: identity.pem,
      },
    ),
  );
  const { coreVersion, appVersion } = handshake;
  output.print(`${[coreVersion, appVersion, address, 'grpc', identity?.line ?? ''].join('|')}\n`);
}

function refuse({ name }: Plugin, why: string): void {
  process.stderr.write(`${name} is a plugin and ${why}. Try: tidegate plugin list\n`);
  process.exitCode = 1;
}

interface Place {
  /** In handshake format: `unix|/path`. */
  readonly address: string;
  readonly socket?: string;
}

async function listen(env: NodeJS.ProcessEnv, bind: (at: string) => Promise<number>): Promise<Place> {
  if (process.platform !== 'win32') {
    const folder = env['PLUGIN_UNIX_SOCKET_DIR'] || tmpdir();
    const socket = join(folder, `plugin${String(randomBytes(4).readUInt32BE())}`);
    await bind(`unix:${socket}`);
    return { address: `unix|${socket}`, socket };
  }
  const low = Number(env['PLUGIN_MIN_PORT'] ?? 10_000);
  const high = Number(env['PLUGIN_MAX_PORT'] ?? 25_000);
  for (let i = 0; i < tries; i += 1) {
    const port = low + Math.floor(Math.random() * (high - low + 1));
    try {
      await bind(`127.0.0.1:${String(port)}`);
      return { address: `tcp|127.0.0.1:${String(port)}` };
    } catch {
      // In use: try the next port.
    }
  }
  throw new Error('no free port between PLUGIN_MIN_PORT and PLUGIN_MAX_PORT');
}

/** Ignores Ctrl+C, because the host handles it and stops us. Ends when the host has died. */
function endWithOthers(end: () => void): void {
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', end);
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, parentMs).unref();
}

interface Identity {
  readonly key: string;
  readonly pem: string;
  /** The certificate in handshake format: base64 without padding. */
  readonly line: string;
}

const leewayMs = 30_000;
const goodForMs = 30 * 365 * 24 * 3600_000;

function createIdentity(): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const base64 = Buffer.from(
    createCertificate({
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      sign: (bytes) => sign('sha256', bytes, privateKey),
      serial: randomBytes(16),
      notBefore: new Date(Date.now() - leewayMs),
      notAfter: new Date(Date.now() + goodForMs),
    }),
  ).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pem: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    line: base64.replace(/=+$/, ''),
  };
}
