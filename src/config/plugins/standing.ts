import { dirname, join } from 'node:path';
import type { Trust } from '../trust.js';
import { digestOfFile, digestOfFolder } from './digest.js';
import type { PluginFile, PluginStart } from './program.js';

/** What is known of the trust in a plugin. */
export type Standing = 'trusted' | 'new' | 'changed' | 'broken';

/** What a plugin is started with, as far as trust goes. */
export interface TrustedParts {
  readonly name: string;
  readonly start?: PluginStart;
  readonly files: readonly PluginFile[];
}

/** Trusted only as a whole. Nothing to trust is nothing that anybody agreed to. */
export function standingOf(files: readonly PluginFile[], trust: Trust): Standing {
  if (files.length > 0 && files.every(({ file, sha256 }) => trust.isTrusted(file, sha256))) return 'trusted';
  const recorded = new Set(trust.list().map(({ file }) => file));
  return files.some(({ file, what }) => what !== 'the file that declares it' && recorded.has(file))
    ? 'changed'
    : 'new';
}

/** Whether a plugin is still exactly what was trusted; otherwise the reason. For the moment before a start. */
export async function stillTrusted(plugin: TrustedParts, trust: Trust): Promise<string | undefined> {
  for (const { file, sha256, what } of plugin.files) {
    const now = await digestNow(plugin, file, what).catch((error: unknown) => String(error));
    if (now !== sha256)
      return `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: ${file} is not what was trusted; run \`tidegate plugin trust ${plugin.name}\``;
    if (!trust.isTrusted(file, sha256))
      return `it is no longer trusted; run \`tidegate plugin trust ${plugin.name}\``;
  }
  return undefined;
}

function digestNow(plugin: TrustedParts, file: string, what: PluginFile['what']): Promise<string> {
  if (what !== 'its manifest and what stands beside it') return digestOfFile(file);
  const { command = '' } = plugin.start?.kind === 'program' ? plugin.start : {};
  return digestOfFolder(dirname(file), command === '' ? join(dirname(file), '-') : command);
}
