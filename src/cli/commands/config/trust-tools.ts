import { dirname, join, relative } from 'node:path';
import { messageOf } from '../../../lib/error-message.js';
import type { Located, State, ToolFile } from '../../../app/index.js';
import type { Context } from '../../command.js';
import { printable, type TrustRecord } from '../../../config/index.js';
import { Failure } from '../../failure.js';

/** Untrusted tool files, and the files that are trusted with them. */
export interface ToolsToTrust {
  readonly files: readonly ToolFile[];
  readonly beside: readonly string[];
  /** Whether the workspace has any tool files, trusted or not. */
  readonly hasAny: boolean;
}

export const noTools: ToolsToTrust = { files: [], beside: [], hasAny: false };

/** The tool files of a workspace whose current content is not trusted. */
export async function untrustedTools(
  workspace: string,
  state: State,
  located: Located | undefined,
): Promise<ToolsToTrust> {
  const { importsWithin, scanWorkspace } = await import('../../../app/index.js');
  const findImports = importsWithin(workspace, () => located?.config);
  const { files, beside } = await scanWorkspace(workspace, findImports);
  const untrusted = files.filter(({ file, sha256 }) => !state.trust.isTrusted(file, sha256));
  return { files: untrusted, beside, hasAny: files.length > 0 };
}

/** The trusted tool files of a workspace, whatever their current content. */
export function recordedTools(workspace: string, state: State): readonly string[] {
  const folder = join(workspace, '.tidegate', 'tools');
  return state.trust.list().flatMap(({ file }) => (dirname(file) === folder ? [file] : []));
}

const mostImports = 100;

/** For the user to review before deciding. Tool names are unknown until the files run. */
export function toolLines({ files, beside }: ToolsToTrust, { cwd }: Context): readonly string[] {
  if (files.length === 0) return [];
  const short = (file: string): string => `  ${printable(relative(cwd, file) || file)}`;
  const uniqueLines = (all: readonly string[]): readonly string[] => {
    const names = [...new Set(all)].sort();
    const more = names.length - mostImports;
    return [...names.slice(0, mostImports).map(short), ...(more > 0 ? [`  and ${String(more)} more`] : [])];
  };
  const section = (title: string, all: readonly string[]): readonly string[] =>
    all.length === 0 ? [] : [title, ...uniqueLines(all)];
  const imported = files.flatMap(({ imports }) => imports.files.map(({ file }) => file));
  const computed = files.flatMap(({ imports }) => imports.computed);
  return [
    'Runs these tools:',
    ...files.map(({ file, text }) => `${short(file)}  ${String(Buffer.byteLength(text))} bytes`),
    ...section('with these files next to them, which they can import:', beside),
    ...section(
      'with these files and packages, which they import. If one changes, the tools must be trusted again:',
      imported,
    ),
    ...section('These compute import names at run time, and those imports are not checked:', computed),
    `Review them first: ${printable(dirname(files[0]?.file ?? ''))}`,
    '',
  ];
}

/** What the trust record of a tool contains besides its hash: its imports, and the files locked for them. */
export async function lockOfTool(
  { imports: { files, guards = { fixed: [], absent: [] } } }: ToolFile,
  roots: readonly string[],
): Promise<Pick<TrustRecord, 'covers' | 'guards'>> {
  const { lockRecordOf } = await import('../../../config/started/index.js');
  try {
    return lockRecordOf({ files, guards }, roots);
  } catch (error) {
    const reason = messageOf(error);
    throw new Failure('trust.refused', `The tool was not trusted: ${reason}.`);
  }
}
