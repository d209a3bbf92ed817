import { lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../lib/error-message.js';
import { atMost } from '../../lib/at-most.js';
import type { PluginCapability } from '../../ports/plugins.js';
import {
  brokerService,
  controllerService,
  handshake,
  healthService,
  operationService,
  pluginService,
  stdioService,
  stepTypeService,
} from '../../plugin-protocol/index.js';
import { CallFailure } from './call-failure.js';
import { type Channel, openChannel } from './channel.js';
import type { Address } from './handshake-line.js';
import { HeldStart } from './held-start.js';
import { createIdentity } from './identity.js';
import type { RawOffer } from './offer-memory.js';
import type { PluginLimits, PluginOptions } from './options.js';
import { makeSocketFolder } from './socket-folder.js';
import { collectWords, startProcess, type StartedProcess } from './start-process.js';

/** A running plugin after the handshake and initialization, with its lists known. */
export interface LivePlugin {
  readonly pid: number;
  readonly version: string;
  readonly offer: RawOffer;
  readonly channel: Channel;
  /** Resolves when the process exits. */
  readonly ended: Promise<void>;
  /** False if it does not answer a health check. */
  isHealthy(): Promise<boolean>;
  close(): Promise<void>;
}

/** Starts a plugin. `lost` is called once if its process exits unexpectedly. Throws with the reason. */
export async function openLivePlugin(
  options: PluginOptions,
  limits: PluginLimits,
  signal: AbortSignal,
  lost: (why: string) => void,
): Promise<LivePlugin> {
  const refused = await options.recheck();
  if (refused?.isPassing === true) throw new HeldStart(refused.why);
  if (refused !== undefined) throw new Error(refused.why);
  const folder = makeSocketFolder(options.socketHome);
  const identity = options.isPlain === true ? undefined : createIdentity();
  const { name, program, processes, log } = options;
  const redact = options.createRedactor();
  let started: StartedProcess | undefined;
  let channel: Channel | undefined;
  try {
    started = await startProcess({
      name,
      program,
      processes,
      socketFolder: folder.path,
      ...(identity && { certificate: identity.certificate }),
      limits,
      log,
      redact,
      signal,
    });
    channel = openChannel(started.greeting, identity);
    const ended = watchEnd(started, lost);
    listenToStdio(channel, options);
    const { version, offer } = await introduce(channel, options, limits, signal);
    const [{ child, greeting }, line] = [started, channel];
    return {
      pid: child.pid,
      version,
      offer,
      channel: line,
      ended,
      isHealthy: () => isServing(line, limits.questionMs),
      async close() {
        await askToEnd(line, ended, limits);
        line.close();
        await child.close();
        await removeSocket(greeting.address, folder.path);
        await folder.remove();
      },
    };
  } catch (error) {
    channel?.close();
    await started?.child.close();
    await folder.remove();
    throw error;
  }
}

function watchEnd(started: StartedProcess, lost: (why: string) => void): Promise<void> {
  return new Promise((resolve) => {
    started.child.onExit(({ code, signal }) => {
      const how = signal === null ? `exited with code ${String(code)}` : `was killed by ${signal}`;
      resolve();
      const said = started.lastWords();
      lost(said === '' ? how : `${how}: ${said}`);
    });
  });
}

/** After the handshake, go-plugin sends the plugin's output this way. Unread output would block the plugin. */
function listenToStdio(channel: Channel, { log, createRedactor }: PluginOptions): void {
  const output = collectWords('plugin output', log, createRedactor());
  const errors = collectWords('plugin stderr', log, createRedactor());
  const stdout = 1;
  channel.listen(stdioService.streamStdio, ({ channel: number, data }) =>
    (number === stdout ? output : errors).push(data),
  );
  channel.hold(brokerService.startStream);
}

async function introduce(
  channel: Channel,
  options: PluginOptions,
  limits: PluginLimits,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly offer: RawOffer }> {
  const question = { ms: limits.questionMs, signal };
  if (!(await isServing(channel, limits.questionMs))) throw new Error('its health check failed');
  const info = await asked('GetInfo', channel.call(pluginService.getInfo, {}, question));
  tellOfOthers(info, options);
  const config = new Map(
    Object.entries(options.config).map(([key, value]) => [key, Buffer.from(JSON.stringify(value))]),
  );
  await asked('Init', channel.call(pluginService.init, { config }, { ms: limits.initMs, signal }));
  const has = (one: PluginCapability): boolean =>
    options.capabilities.length === 0 || options.capabilities.includes(one);
  const { operations } = has('operations')
    ? await listed('ListOperations', channel.call(operationService.listOperations, {}, question), {
        operations: [],
      })
    : { operations: [] };
  const { step_types: stepTypes } = has('step_types')
    ? await listed('ListStepTypes', channel.call(stepTypeService.listStepTypes, {}, question), {
        step_types: [],
      })
    : { step_types: [] };
  return { version: info.version, offer: { operations, stepTypes } };
}

/** The manifest was trusted, so a program that reports another name or version is worth a warning. */
function tellOfOthers(
  { name, version }: { readonly name: string; readonly version: string },
  options: PluginOptions,
): void {
  const hasManifest = options.version !== undefined;
  if (hasManifest && name !== '' && name !== options.name)
    throw new Error(
      `it reports the name ${JSON.stringify(name.slice(0, 64))}, but its manifest says ${JSON.stringify(options.name)}; use the same name in both`,
    );
  const isOther = name !== options.name || (options.version !== undefined && version !== options.version);
  if (isOther)
    options.log('warn', 'the plugin reports a different name or version than its manifest', {
      name: options.withoutSecrets(name).slice(0, 200),
      version: options.withoutSecrets(version).slice(0, 200),
    });
}

async function asked<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const kind = error instanceof CallFailure ? `${error.kind}: ` : '';
    throw new Error(`${what} failed: ${kind}${messageOf(error)}`);
  }
}

/** Treats a missing service as an empty list. */
async function listed<T>(what: string, answer: Promise<T>, none: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallFailure && error.kind === 'unimplemented') return none;
    return asked(what, Promise.reject(error as Error));
  }
}

async function isServing(channel: Channel, ms: number): Promise<boolean> {
  try {
    const { status } = await channel.call(healthService.check, { service: handshake.healthName }, { ms });
    return status === handshake.serving;
  } catch (error) {
    // A plugin that answers "unimplemented" is alive.
    return error instanceof CallFailure && error.kind === 'unimplemented';
  }
}

/** Asks the plugin, then its gRPC server, to shut down. If it still runs afterwards, it is killed. */
async function askToEnd(channel: Channel, ended: Promise<void>, limits: PluginLimits): Promise<void> {
  const { shutdownMs, controllerMs } = limits;
  const ignore = (): void => undefined;
  await Promise.race([
    ended,
    channel.call(pluginService.shutdown, {}, { ms: shutdownMs }).then(ignore, ignore),
  ]);
  const started = performance.now();
  await Promise.race([
    ended,
    channel.call(controllerService.shutdown, {}, { ms: controllerMs }).then(ignore, ignore),
  ]);
  await atMost(Math.max(0, controllerMs - (performance.now() - started)), ended);
}

/** A plugin may ignore our folder and create its socket elsewhere. */
async function removeSocket(address: Address, folder: string): Promise<void> {
  if (address.kind !== 'unix' || dirname(address.path) === folder) return;
  const stats = await lstat(address.path).catch(() => undefined);
  if (stats?.isSocket() === true && stats.uid === (process.getuid?.() ?? stats.uid))
    await unlink(address.path).catch(() => undefined);
}
