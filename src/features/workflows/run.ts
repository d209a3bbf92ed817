import { join } from 'node:path';
import { type Environment, stateDirectory } from '../../config/index.js';
import type { Session } from '../../core/index.js';
import type { OpenTidegate, Tidegate } from '../../workspace/tidegate.js';
import { isStillTrusted, isTrustedWorkflow } from './is-trusted.js';
import { openTrustedLibrary } from '../../workspace/workflow-library.js';
import { openRunFolders, type RunReport } from './run-folders.js';
import { runInFolder } from './run-in-folder.js';
import type { RunAnswer, RunOptions } from './run-options.js';

/** Validates and runs a workflow with its own gateway, or resumes a run. Everything it started is ended. */
export async function runFlow(openTidegate: OpenTidegate, given: RunOptions): Promise<RunAnswer> {
  const began = given.resume === undefined ? undefined : showRun(given.env, given.resume);
  if (began === undefined) return runAt(openTidegate, given);
  // Resume in the original folder, wherever the command was run.
  const options = boundBy(began, given);
  const isOver = began.status === 'completed' || began.status === 'broken';
  if (began.rights === undefined || isOver) return runAt(openTidegate, options);
  const held = await heldToTrust(options, began);
  if (held === undefined) return { kind: 'untrusted', run: began };
  return runAt(openTidegate, held, options.takesOver === true ? undefined : began);
}

function runAt(openTidegate: OpenTidegate, options: RunOptions, starter?: RunReport): Promise<RunAnswer> {
  const { cwd, env, version, configFile, profile, toolPatterns } = options;
  return runInFolder(options, async (folder) => {
    const tidegate = await openTidegate({
      cwd,
      env,
      version,
      mode: 'command',
      // Log beside the run's records, unless the configuration names a file.
      logFile: join(folder, 'log.jsonl'),
      ...(configFile !== undefined && { configFile }),
      ...(profile !== undefined && { profile }),
      ...(toolPatterns && { toolPatterns }),
    });
    const session = await sessionOf(tidegate, starter?.rights);
    const isRefused = starter !== undefined && !(await mayRun(tidegate, session));
    return {
      tidegate,
      session,
      ...(isRefused && { refusal: { kind: 'revoked', run: starter } as const }),
      close: () => tidegate.close(),
    };
  });
}

/** Whether the agent that started the run may still call `execute_workflow`. */
async function mayRun({ gateway, access: { access } }: Tidegate, session: Session): Promise<boolean> {
  const tool = gateway.registry.lookup({ kind: 'tool', name: 'execute_workflow' });
  await access.refresh(session);
  return tool !== undefined && access.visible(session, tool).callable;
}

/** A resumed run of an agent uses the current rights of the whole delegation chain. */
async function sessionOf(tidegate: Tidegate, rights: RunReport['rights']): Promise<Session> {
  const own = tidegate.localSession('connection');
  const last = rights?.at(-1);
  if (rights === undefined || last === undefined) return own;
  await tidegate.access.needRights();
  return { ...own, principal: last.principal, chain: rights };
}

/** A run started by an agent uses only trusted files, even if the operator resumes it. Undefined if they are not trusted now. */
async function heldToTrust(options: RunOptions, { file }: RunReport): Promise<RunOptions | undefined> {
  const library = await openTrustedLibrary(options);
  if (!isTrustedWorkflow(file, library, options)) return undefined;
  library.seal();
  return {
    ...options,
    library,
    isStillTrusted: () => isStillTrusted(file, options),
    ...(options.takesOver !== true && { isForAgent: true }),
  };
}

/**
 * A resumed run keeps its folder, profile and configuration. What an agent started also keeps the `--tools` of the
 * agent's gateway, and no other configuration decides its rights.
 */
function boundBy({ cwd, profile, rights, gateway = {} }: RunReport, given: RunOptions): RunOptions {
  const { configFile: named, ...others } = given;
  const isAgents = rights !== undefined && given.takesOver !== true;
  const configFile = isAgents ? gateway.config : (named ?? gateway.config);
  return {
    ...others,
    cwd,
    ...(profile !== undefined && { profile }),
    ...(configFile !== undefined && { configFile }),
    ...(isAgents && gateway.tools && { toolPatterns: gateway.tools }),
  };
}

export function listRuns(env: Environment): readonly RunReport[] {
  return openRunFolders(stateDirectory(env)).list();
}

export function showRun(env: Environment, id: string): RunReport | undefined {
  return openRunFolders(stateDirectory(env)).show(id);
}
