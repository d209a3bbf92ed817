import type { IncomingMessage } from 'node:http';
import { posix, win32 } from 'node:path';
import type { Caller } from '../../core/index.js';
import { workspaceHeader } from '../identity.js';
import type { Refused } from './identify.js';
import { isRefused, type OpenWorkspace } from './open-workspace.js';

export interface Entered {
  readonly workspace: OpenWorkspace;
  readonly caller: Caller;
}

/** `elsewhere`: a valid caller that named a workspace it cannot enter, or one that is not served. */
export type Entry = Entered | Refused | 'elsewhere';

/**
 * Finds the workspace and the caller of a request: by the header, else by the token's workspace, else the first.
 * Roots can move a session of the first one to another (see `roots/`). A workspace that is not served and one that rejects the token give the same answer.
 */
export function chooseWorkspace(
  workspaces: readonly [OpenWorkspace, ...OpenWorkspace[]],
  request: IncomingMessage,
): Entry | Promise<Entry> {
  const [first] = workspaces;
  const named = request.headersDistinct[workspaceHeader];
  if (named === undefined) {
    const found = first.identify(request);
    return found instanceof Promise
      ? found.then((caller) => byToken(workspaces, request, caller))
      : byToken(workspaces, request, found);
  }
  return byHeader(workspaces, request, named);
}

async function byHeader(
  workspaces: readonly [OpenWorkspace, ...OpenWorkspace[]],
  request: IncomingMessage,
  named: readonly string[],
): Promise<Entry> {
  const [first] = workspaces;
  const wanted = named.length === 1 ? nearestAbove(workspaces, decoded(named[0] ?? '')) : undefined;
  if (wanted !== undefined) {
    const caller = await wanted.identify(request);
    if (!isRefused(caller) && isFor(caller, wanted)) return { workspace: wanted, caller };
  }
  const elsewhere = await first.identify(request);
  return isRefused(elsewhere) ? elsewhere : 'elsewhere';
}

function byToken(
  workspaces: readonly [OpenWorkspace, ...OpenWorkspace[]],
  request: IncomingMessage,
  found: Caller | Refused,
): Entry | Promise<Entry> {
  const [first] = workspaces;
  if (isRefused(found)) return found;
  if (isFor(found, first)) return { workspace: first, caller: found };
  const wanted = workspaces.find((workspace) => isFor(found, workspace));
  if (wanted === undefined) return 'elsewhere';
  return Promise.resolve(wanted.identify(request)).then((caller) =>
    isRefused(caller) || !isFor(caller, wanted) ? 'elsewhere' : { workspace: wanted, caller },
  );
}

/** Whether the credential is valid for the workspace. */
export function isFor({ workspace }: Caller, { folder }: OpenWorkspace): boolean {
  return workspace === undefined || workspace === folder;
}

/** The served folder that is or contains the path: the deepest one. Compares text only and reads no file. */
function nearestAbove(
  workspaces: readonly OpenWorkspace[],
  path: string | undefined,
): OpenWorkspace | undefined {
  if (path === undefined) return undefined;
  const paths = path.startsWith('/') ? posix : win32;
  const { sep } = paths;
  const wanted = `${paths.normalize(path)}${sep}`;
  const isAround = ({ folder }: OpenWorkspace): boolean =>
    wanted.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  return workspaces
    .filter(isAround)
    .reduce<OpenWorkspace | undefined>(
      (best, next) => (best === undefined || next.folder.length > best.folder.length ? next : best),
      undefined,
    );
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
