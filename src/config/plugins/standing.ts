import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Trust } from '../trust.js';
import { digestOfFolder, digestOfProgram } from './digest.js';
import { namedDigests, type PluginFile, type PluginStart, unhashed } from './program.js';

/** What is known of the trust in a plugin. */
export type Standing = 'trusted' | 'new' | 'changed' | 'broken';

/** The one record that stands for a plugin: its place, and everything that was shown of it. */
export interface PluginRecord {
  readonly file: string;
  readonly sha256: string;
}

/** What a plugin is started with, as far as trust goes. */
export interface TrustedParts {
  readonly name: string;
  readonly start?: PluginStart;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly PluginFile[];
  readonly record?: PluginRecord;
}

/**
 * A record of its own for each plugin: two that share a file, or stand in one `plugins.yaml`, neither gain nor lose by
 * what is decided of the other. Undefined: there is nothing that anybody could agree to.
 */
export function recordOf(
  { name, place }: { readonly name: string; readonly place: string },
  files: readonly PluginFile[],
): PluginRecord | undefined {
  if (files.length === 0) return undefined;
  if (files.some(({ sha256 }) => sha256 === unhashed)) return { file: place, sha256: unhashed };
  const parts = files.map(({ file, sha256, what }) => [what, file, sha256]);
  const text = JSON.stringify(['tidegate plugin', name, place, parts]);
  return { file: place, sha256: createHash('sha256').update(text).digest('hex') };
}

/** Trusted only as a whole. */
export function standingOf(record: PluginRecord | undefined, trust: Trust): Standing {
  if (record === undefined) return 'new';
  if (record.sha256 !== unhashed && trust.isTrusted(record.file, record.sha256)) return 'trusted';
  return trust.list().some(({ file }) => file === record.file) ? 'changed' : 'new';
}

/** Whether a plugin is still exactly what was trusted; otherwise the reason. For the moment before a start. */
export async function stillTrusted(plugin: TrustedParts, trust: Trust): Promise<string | undefined> {
  const { name, files, record } = plugin;
  const other = await otherNamed(plugin);
  for (const { file, sha256, what } of files) {
    // The entry is held in memory, as it was judged; nothing that the file says by now is started.
    if (what === 'its entry' || isNamedByCommand(what)) continue;
    const now = await digestNow(plugin, file, what).catch((error: unknown) => String(error));
    if (now !== sha256) return mismatch(file, name);
  }
  if (other !== undefined) return mismatch(other, name);
  const isTrusted = record !== undefined && trust.isTrusted(record.file, record.sha256);
  return isTrusted ? undefined : `it is no longer trusted; run \`tidegate plugin trust ${name}\``;
}

function mismatch(file: string, name: string): string {
  return `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: ${file} is not what was trusted; run \`tidegate plugin trust ${name}\``;
}

function isNamedByCommand(what: PluginFile['what']): boolean {
  return what === 'a file that its command names' || what === 'a folder that its command names';
}

/** A file that the command names and that is not as it was trusted: another one, one more, or one less. */
async function otherNamed({ start, env, files }: TrustedParts): Promise<string | undefined> {
  if (start?.kind !== 'program') return undefined;
  const trusted = files.filter(({ what }) => isNamedByCommand(what));
  const now = await namedDigests(start, { env: new Map(Object.entries(env)) }, true);
  const [problem] = now.problems;
  if (problem !== undefined) return problem.file;
  const key = ({ file, sha256, what }: PluginFile): string => JSON.stringify([file, sha256, what]);
  const [before, after] = [new Set(trusted.map(key)), new Set(now.files.map(key))];
  return [
    ...now.files.filter((one) => !before.has(key(one))),
    ...trusted.filter((one) => !after.has(key(one))),
  ][0]?.file;
}

function digestNow(plugin: TrustedParts, file: string, what: PluginFile['what']): Promise<string> {
  if (what !== 'its manifest and what stands beside it') return digestOfProgram(file);
  const { command = '' } = plugin.start?.kind === 'program' ? plugin.start : {};
  return digestOfFolder(dirname(file), command === '' ? join(dirname(file), '-') : command);
}
