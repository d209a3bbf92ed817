import { hasOwnRights, type RunRefusal } from '../../ports/own-paths.js';
import type { Session } from '../../core/index.js';
import { isStoreExposed } from './masks.js';
import { isInside, type ResolvedPlaces } from './own-places.js';

/** Without a sandbox, a command can read and write whatever the user can, so no file of Tidegate's may be in a root. */
export function whyNotRun(
  places: ResolvedPlaces,
  session: Pick<Session, 'chain'>,
  isSandboxed: boolean,
): RunRefusal | undefined {
  const { roots, stateDirs, stores, logs } = places;
  const above = stateDirs.find((state) => roots.some((root) => isInside(root, state)));
  if (above !== undefined) return stateAround(above);
  const exposed = stores.find((file) => isStoreExposed(file, places));
  if (exposed !== undefined) return storeInRoot(exposed);
  if (isSandboxed) return undefined;
  const inRoot = [...stateDirs, ...stores, ...logs].find((path) =>
    roots.some((root) => isInside(path, root)),
  );
  if (inRoot !== undefined) return unsandboxedBeside(inRoot);
  return hasOwnRights(session) ? unsandboxedForOthers : undefined;
}

function stateAround(state: string): RunRefusal {
  return {
    reason: 'state_in_workspace',
    message: `The workspace is inside ${state}, the state folder of Tidegate.`,
    suggestion:
      'Ask the operator to set TIDEGATE_HOME to another folder, or to choose another workspace root.',
  };
}

function storeInRoot(file: string): RunRefusal {
  return {
    reason: 'store_in_workspace',
    message: `The store ${file} is directly in a workspace root, where no sandbox can hide it from commands.`,
    suggestion: 'Ask the operator to move `store.file` to a separate folder, or out of the workspace.',
  };
}

function unsandboxedBeside(path: string): RunRefusal {
  return {
    reason: 'state_in_workspace',
    message: `Tidegate stores ${path} inside the workspace, and there is no sandbox to hide it from commands.`,
    suggestion:
      'Ask the operator to install bubblewrap, or to move the file with TIDEGATE_HOME, `store.file` or `log.file`.',
  };
}

const unsandboxedForOthers: RunRefusal = {
  reason: 'sandbox_required',
  message:
    'Principals other than the operator can run commands only in a sandbox, and there is none: bubblewrap does not work on this machine, or `shell.sandbox` is `off`.',
  suggestion:
    'Ask the operator to install bubblewrap (Linux) and to leave `shell.sandbox` at `auto`; `tidegate doctor` shows what is missing.',
};
