import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { isOperator } from '../../core/index.js';
import type { OwnPaths, OwnView } from '../../ports/own-paths.js';
import { principalKey, type Session } from '../../core/index.js';
import { identitiesOf } from './identities.js';
import { findMasks } from './masks.js';
import {
  folded,
  isInside,
  nameOf,
  namesOf,
  type OwnPlaces,
  realOf,
  type ResolvedPlaces,
} from './own-places.js';
import { createRules, type Rules } from './rules.js';
import { systemFolders } from './system-folders.js';
import { whyNotRun } from './why-not-run.js';

export function createOwnPaths(places: OwnPlaces): OwnPaths {
  const system = systemFolders();
  return { viewOf: (session) => openView(resolve(places, system), session) };
}

function resolve(
  {
    roots: given,
    stateDir,
    otherStateDirs = [],
    files,
    outputRoots = [],
    governing,
    governingNames = [],
    program,
    absent = [],
  }: OwnPlaces,
  system: readonly string[],
): ResolvedPlaces {
  const roots = given.map(realOf);
  const all = (paths: readonly string[]) => [...new Set(paths.flatMap(namesOf))];
  const ofKind = (kind: 'store' | 'log') =>
    all(files.flatMap((file) => (file.kind === kind ? [file.path] : [])));
  return {
    roots,
    stateDirs: all([stateDir, ...otherStateDirs.filter((folder) => existsSync(folder))]),
    stores: ofKind('store'),
    logs: ofKind('log'),
    // For a root inside such a folder, only the protected names in the root apply: see `protected.ts` of the file
    // service.
    governing: [...new Set([...all(governing), ...governingNames.map(nameOf)])].filter(
      (path) => !roots.some((root) => isInside(root, path)),
    ),
    program: all(program),
    absent: all(absent),
    system,
    output: [...new Set([...roots, ...outputRoots.map(realOf)])].map((root) =>
      join(root, '.tidegate', 'output'),
    ),
  };
}

function openView(places: ResolvedPlaces, session: Session): OwnView {
  const seesGoverning = isOperator(session);
  const outputName = sha256Of(principalKey(session.principal)).slice(0, 16);
  const rules: Rules = createRules(places, outputName, seesGoverning);
  let identities: ReadonlySet<string> | undefined;
  const secondNames = () => (identities ??= identitiesOf(places, seesGoverning));
  return {
    outputName,
    hides: (path) => rules.hides(folded(path)),
    hidesFile: ({ dev, ino, nlink }) => nlink > 1n && secondNames().has(`${dev}:${ino}`),
    get hasSecondNames() {
      return secondNames().size > 0;
    },
    whyNotWritten: (path) => rules.whyNotWritten(folded(path)),
    hiddenBelow: (folder) =>
      rules
        .hidden()
        .flatMap(({ path, hasCompanions }) =>
          path !== folder && isInside(path, folder)
            ? [{ path: path.slice(folder.endsWith('/') ? folder.length : folder.length + 1), hasCompanions }]
            : [],
        ),
    get masks() {
      return findMasks(places, seesGoverning);
    },
    whyNotRun: (isSandboxed) => whyNotRun(places, session, isSandboxed),
  };
}
