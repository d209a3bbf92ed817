import { dirname, relative } from 'node:path';
import type { State, ToolFile } from '../app/index.js';
import type { Context } from './command.js';
import { printable } from '../config/index.js';

/** The tool files of a workspace that nobody trusted yet, as they are now. */
export async function untrustedTools(workspace: string, state: State): Promise<readonly ToolFile[]> {
  const { scanWorkspace } = await import('../app/index.js');
  const { files } = scanWorkspace(workspace);
  return files.filter(({ file, sha256 }) => !state.trust.isTrusted(file, sha256));
}

/** What a person reads before deciding. Their names as tools are not known before they run. */
export function toolLines(tools: readonly ToolFile[], { cwd }: Context): readonly string[] {
  if (tools.length === 0) return [];
  const lines = tools.map(({ file, sha256, text }) => {
    const path = printable(relative(cwd, file) || file);
    return `  ${path}  ${String(Buffer.byteLength(text))} bytes, SHA-256 ${sha256.slice(0, 12)}…`;
  });
  const folder = printable(dirname(tools[0]?.file ?? ''));
  return ['It would run these tools, and what they import:', ...lines, `Read them first: ${folder}`, ''];
}
