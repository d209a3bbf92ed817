import { dirname, join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import type { Trust } from '../trust.js';
import { digestOfFolder, digestOfProgram } from '../started/digest.js';
import { namedDigests, type PluginFile, type PluginStart, unhashed } from './program.js';

/** The trust state of a plugin. */
export type Standing = 'trusted' | 'new' | 'changed' | 'broken';

/** The trust record of a plugin: its place, and a hash of everything that was reviewed. */
export interface PluginRecord {
  readonly file: string;
  readonly sha256: string;
}

/** The parts of a plugin that trust covers. */
export interface TrustedParts {
  readonly name: string;
  readonly start?: PluginStart;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly PluginFile[];
  readonly record?: PluginRecord;
}

/**
 * Each plugin has a separate record, so trusting one never affects another that shares a file or a `plugins.yaml`.
 * Undefined if there is nothing to trust.
 */
export function recordOf(
  { name, place }: { readonly name: string; readonly place: string },
  files: readonly PluginFile[],
): PluginRecord | undefined {
  if (files.length === 0) return undefined;
  if (files.some(({ sha256 }) => sha256 === unhashed)) return { file: place, sha256: unhashed };
  const parts = files.map(({ file, sha256, what }) => [what, file, sha256]);
  const text = JSON.stringify(['plugin with lock', name, place, parts]);
  return { file: place, sha256: sha256Of(text) };
}

/** A plugin is trusted as a whole or not at all. */
export function standingOf(record: PluginRecord | undefined, trust: Trust): Standing {
  if (record === undefined) return 'new';
  if (record.sha256 !== unhashed && trust.isTrusted(record.file, record.sha256)) return 'trusted';
  return trust.list().some(({ file }) => file === record.file) ? 'changed' : 'new';
}

/** Checks right before a start that a plugin is still exactly what was trusted. Returns the reason if not. */
export async function stillTrusted(plugin: TrustedParts, trust: Trust): Promise<string | undefined> {
  const { name, files, record } = plugin;
  const other = await otherNamed(plugin);
  for (const { file, sha256, what } of files) {
    // The checked entry is in memory; later changes of the file have no effect on what starts.
    if (what === 'its entry' || isNamedByCommand(what)) continue;
    const now = await digestNow(plugin, file, what).catch((error: unknown) => String(error));
    if (now !== sha256) return mismatch(file, name);
  }
  if (other !== undefined) return mismatch(other, name);
  const isTrusted = record !== undefined && trust.isTrusted(record.file, record.sha256);
  return isTrusted ? undefined : `it is no longer trusted. Run \`tidegate plugin trust ${name}\``;
}

function mismatch(file: string, name: string): string {
  return `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: ${file} changed after it was trusted. Review it, then run \`tidegate plugin trust ${name}\``;
}

function isNamedByCommand(what: PluginFile['what']): boolean {
  return (
    what === 'a file that its command names' ||
    what === 'a folder that its command names' ||
    what === 'what it loads'
  );
}

/** A file that the command names or loads and that was changed, added or removed since it was trusted. */
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
