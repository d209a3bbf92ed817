import { sep } from 'node:path';
import type { RunRefusal } from '../../ports/own-paths.js';
import type { Session } from '../../core/index.js';
import { createOwnPaths, type OwnPlaces } from '../../services/own-paths/index.js';
import { openKnownPlaces } from '../../workspace/known-places.js';
import { linkProblem, ownPlaces, stateAroundProblem } from '../../workspace/own-places.js';
import type { Finding } from './check.js';
import type { Scene } from './scene.js';

/** Reports when commands could reach Tidegate's own files, so that Bash is unavailable or Tidegate refuses to start. */
export async function exposureFindings(scene: Scene, isSandboxed: boolean): Promise<readonly Finding[]> {
  const located = await scene.located();
  if (located === undefined) return [];
  const roots = await scene.roots();
  const around = stateAroundProblem(roots, scene.home);
  if (around !== undefined) return [{ state: 'fail', detail: around.message, next: around.remedy }];
  const config = located.isTrusted ? located.config : { ...located.config, workspace: { roots } };
  const parts = { config, env: scene.env, folder: located.folder, others: openKnownPlaces(scene.home).all() };
  const link = linkProblem(parts);
  if (link !== undefined) return [{ state: 'fail', detail: link.message, next: link.remedy }];
  const places = ownPlaces(parts);
  const refusal = createOwnPaths(places).viewOf(operator).whyNotRun(isSandboxed);
  return [
    ...(refusal === undefined ? [] : [unavailable(refusal)]),
    ...installedHere(places),
    ...homeInRoot(roots, scene.env['HOME']),
  ];
}

function unavailable({ message, suggestion, reason }: RunRefusal): Finding {
  const next = suggestion.replace(/^Ask the operator to /, '');
  return { state: 'warn', detail: `Bash is unavailable: ${message}`, next, facts: { reason } };
}

/** Links to the program (`node_modules/.bin/tidegate`, `PATH`) cannot be protected. */
function installedHere({ program }: OwnPlaces): readonly Finding[] {
  const [folder] = program;
  if (folder === undefined) return [];
  const detail = `Tidegate runs from ${folder}, inside a workspace root. Agents cannot change these files, but they can replace links to them.`;
  return [{ state: 'warn', detail, next: 'Install Tidegate outside the workspace: npm install -g tidegate' }];
}

/** Shells and interpreters run startup files from the home folder, and no list of such files is complete. */
function homeInRoot(roots: readonly string[], home: string | undefined): readonly Finding[] {
  const root = roots.find((one) => home !== undefined && (home === one || home.startsWith(one + sep)));
  if (root === undefined) return [];
  const detail = `The workspace root ${root} contains your home folder, so agents can write files that your shell and other programs run.`;
  return [
    {
      state: 'warn',
      detail,
      next: 'start Tidegate in a project folder, or set workspace.roots in tidegate.yaml',
    },
  ];
}

const principal = { kind: 'user', id: 'operator', zone: 'local' } as const;
const operator: Session = {
  id: 'doctor',
  principal,
  scope: 'connection',
  chain: [{ principal, rights: 'all' }],
};
