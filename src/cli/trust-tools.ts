import { dirname, join, relative } from 'node:path';
import type { State, ToolFile } from '../app/index.js';
import type { Context } from './command.js';
import { printable } from '../config/index.js';

/** Tool files that nobody trusted yet, and what else is trusted with them. */
export interface ToolsToTrust {
  readonly files: readonly ToolFile[];
  readonly beside: readonly string[];
  /** Whether the workspace has any, trusted or not. */
  readonly hasAny: boolean;
}

export const noTools: ToolsToTrust = { files: [], beside: [], hasAny: false };

/** The tool files of a workspace that nobody trusted yet, as they are now. */
export async function untrustedTools(workspace: string, state: State): Promise<ToolsToTrust> {
  const { scanWorkspace } = await import('../app/index.js');
  const { files, beside } = scanWorkspace(workspace);
  const untrusted = files.filter(({ file, sha256 }) => !state.trust.isTrusted(file, sha256));
  return { files: untrusted, beside, hasAny: files.length > 0 };
}

/** The tool files of a workspace that are trusted, whatever they hold by now. */
export function recordedTools(workspace: string, state: State): readonly string[] {
  const folder = join(workspace, '.tidegate', 'tools');
  return state.trust.list().flatMap(({ file }) => (dirname(file) === folder ? [file] : []));
}

/** What a person reads before deciding. Their names as tools are not known before they run. */
export function toolLines({ files, beside }: ToolsToTrust, { cwd }: Context): readonly string[] {
  if (files.length === 0) return [];
  const short = (file: string): string => `  ${printable(relative(cwd, file) || file)}`;
  const shared =
    beside.length === 0 ? [] : ['with these files beside them, which they can import:', ...beside.map(short)];
  return [
    'It would run these tools:',
    ...files.map(({ file, text }) => `${short(file)}  ${String(Buffer.byteLength(text))} bytes`),
    ...shared,
    `Read them first: ${printable(dirname(files[0]?.file ?? ''))}`,
    '',
  ];
}
