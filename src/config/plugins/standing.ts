import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Trust } from '../trust.js';
import { digestOfFile, digestOfFolder } from './digest.js';
import { type PluginFile, type PluginStart, unhashed } from './program.js';

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
  for (const { file, sha256, what } of files) {
    // The entry is held in memory, as it was judged; nothing that the file says by now is started.
    if (what === 'its entry') continue;
    const now = await digestNow(plugin, file, what).catch((error: unknown) => String(error));
    if (now !== sha256)
      return `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: ${file} is not what was trusted; run \`tidegate plugin trust ${name}\``;
  }
  const isTrusted = record !== undefined && trust.isTrusted(record.file, record.sha256);
  return isTrusted ? undefined : `it is no longer trusted; run \`tidegate plugin trust ${name}\``;
}

function digestNow(plugin: TrustedParts, file: string, what: PluginFile['what']): Promise<string> {
  if (what !== 'its manifest and what stands beside it') return digestOfFile(file);
  const { command = '' } = plugin.start?.kind === 'program' ? plugin.start : {};
  return digestOfFolder(dirname(file), command === '' ? join(dirname(file), '-') : command);
}
