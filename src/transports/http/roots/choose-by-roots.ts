import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../../core/index.js';
import type { Frame } from '../../../lib/json-rpc.js';
import { canAnswer } from '../../exchanges.js';
import { workspaceHeader } from '../../identity.js';
import { readInitialize } from '../../stateful/codec.js';
import { isFor } from '../choose-workspace.js';
import type { Unplaced } from '../legacy-sessions.js';
import { answerNoSession } from '../no-session.js';
import { type HttpWorkspace, isRefused, type OpenWorkspace } from '../open-workspace.js';
import { createRefusals, type Warn } from '../refusals.js';
import { answerUnavailable } from '../unauthorized.js';
import type { ChooseByRoots } from './by-roots.js';
import { type Match, matchRoots, pathsOf } from './match-roots.js';
import { openUndecidedPeer, type SessionPeer } from './undecided-peer.js';

export interface ByRootsParts {
  readonly workspaces: () => readonly OpenWorkspace[];
  readonly server: HttpWorkspace['common']['server'];
  readonly now: () => number;
  readonly warn: Warn;
  readonly patienceMs?: number;
}

interface Candidate {
  readonly workspace: OpenWorkspace;
  readonly caller: Caller;
}

const defaultPatienceMs = 5000;
const ambiguous =
  "Your client's roots are in several projects of this gateway, so they don't choose one. Send the header " +
  'Tidegate-Workspace: <folder>, or use a token that is bound to one project (tidegate token create --workspace <folder>), ' +
  'and open a new session.';
const ended = 'The session has ended. Open a new one.';
const full = 'Too many sessions. Try again later.';

export function createChooseByRoots(parts: ByRootsParts): ChooseByRoots {
  const { workspaces, patienceMs = defaultPatienceMs } = parts;
  const silent = createRefusals(
    'clients gave no usable roots: their sessions use the first workspace',
    parts.warn,
    parts.now,
  );

  async function place(
    session: Unplaced,
    credential: string,
    result: unknown,
    request: IncomingMessage,
  ): Promise<SessionPeer | string> {
    const paths = pathsOf(result);
    if (paths === undefined) silent.refused(result === undefined ? 'no_answer' : 'invalid_answer');
    // Only workspaces that accept the token count, so that all others look as if they were not served.
    const candidates = await candidatesFor(workspaces(), request, credential);
    const folders = candidates.map(({ workspace }) => workspace.folder);
    const match = await withLimit(matchRoots(paths ?? [], folders), patienceMs);
    if (!session.isHere()) return ended;
    if (match === 'several') return ambiguous;
    const chosen =
      match === 'none' ? undefined : candidates.find((each) => each.workspace.folder === match.folder);
    if (chosen === undefined || chosen.workspace === workspaces()[0]) return session.open();
    const peer = chosen.workspace.moved.takeOver(chosen.caller, session);
    if (peer === undefined) return full;
    session.release();
    return peer;
  }

  return {
    undecided(frame, request, { workspace, credential }) {
      const isOpen = workspace === undefined && request.headers[workspaceHeader] === undefined;
      if (!isOpen || !declaresRoots(frame)) return undefined;
      return (session) =>
        openUndecidedPeer({
          server: parts.server,
          push: session.push,
          patienceMs,
          decide: (result, asking) => place(session, credential, result, asking),
        });
    },
    forward(request, response, { credential }, frame) {
      if (request.headers[workspaceHeader] !== undefined) return undefined;
      const id = String(request.headers['mcp-session-id']);
      const owner = workspaces().find(({ moved }) => moved.isMovedHere(id, credential));
      return owner && proceed(owner, request, response, frame);
    },
    tend: () => silent.tend(),
  };
}

async function proceed(
  workspace: OpenWorkspace,
  request: IncomingMessage,
  response: ServerResponse,
  frame: Frame | undefined,
): Promise<void> {
  let caller: Awaited<ReturnType<OpenWorkspace['identify']>>;
  try {
    caller = await workspace.identify(request);
  } catch {
    return answerUnavailable(response);
  }
  if (isRefused(caller) || !isFor(caller, workspace)) return answerNoSession(response);
  await workspace.moved.proceed(request, response, caller, frame);
}

async function candidatesFor(
  workspaces: readonly OpenWorkspace[],
  request: IncomingMessage,
  credential: string,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const workspace of workspaces) {
    const caller = await workspace.identify(request);
    if (isRefused(caller) || !isFor(caller, workspace) || caller.credential !== credential) continue;
    found.push({ workspace, caller });
  }
  return found;
}

function declaresRoots(frame: Frame): boolean {
  const client = frame.kind === 'request' ? readInitialize(frame.params) : undefined;
  return client !== undefined && canAnswer(client, 'roots/list');
}

/** A file system that doesn't respond must not hold the session. */
function withLimit(match: Promise<Match>, ms: number): Promise<Match> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('none'), ms);
    void match.then(resolve).finally(() => clearTimeout(timer));
  });
}
