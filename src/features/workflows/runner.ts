import type { Runner, WorkflowFacts } from '../../ports/runner.js';
import { type Session, ToolFailure } from '../../core/index.js';
import { bundleOf, type Library, type RunEvent, type RunResult } from '../../workflow/index.js';
import type { Tidegate, TidegateOptions } from '../../workspace/tidegate.js';
import { holdOfWorkflow, isStillTrusted, isTrustedWorkflow } from './is-trusted.js';
import { openTrustedLibrary } from '../../workspace/workflow-library.js';
import { runInFolder } from './run-in-folder.js';
import type { RunLimit } from './run-limit.js';
import type { RunAnswer } from './run-options.js';

export interface RunnerParts {
  readonly tidegate: Tidegate;
  readonly options: TidegateOptions;
  readonly session: Session;
  /** Shared by the whole gateway. */
  readonly limit: RunLimit;
}

/** Runs workflows for agents: only fully trusted ones, with the agent's own rights. */
export function openRunner({ tidegate, options, session, limit }: RunnerParts): Runner {
  const { cwd, env, version, configFile, toolPatterns } = options;
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };

  return {
    async list() {
      const library = await openTrustedLibrary(place);
      return library
        .list()
        .flatMap(({ name, file }) =>
          isTrustedWorkflow(file, library, place) ? [factsOf(name, file, library)] : [],
        );
    },
    async run(name, inputs, line, onStep) {
      const library = await openTrustedLibrary(place);
      const known = library.list().find((one) => one.name === name);
      // An untrusted workflow gets the same error as a missing one.
      if (known === undefined || !isTrustedWorkflow(known.file, library, place)) {
        throw new ToolFailure('not_found', `There is no workflow ${JSON.stringify(name)}.`, {
          suggestion: 'Use a name from list_workflows.',
        });
      }
      refuseNatives(known.file, library);
      refuseHeld(await holdOfWorkflow(known.file, place));
      // Run exactly the content that was hashed.
      library.seal();
      const leave = limit.enter(session);
      const request = {
        ...place,
        version,
        workflow: known.file,
        library,
        inputs,
        signal: line.signal,
        isForAgent: true,
        ...(toolPatterns && { toolPatterns }),
        isStillTrusted: () => isStillTrusted(known.file, place),
        onEvent: (event: RunEvent) => {
          if (event.kind === 'step-ended') onStep(event.path, event.result.status);
        },
      };
      try {
        const answer = await runInFolder(request, () =>
          Promise.resolve({ tidegate, session, close: () => Promise.resolve() }),
        );
        return ranOf(answer);
      } finally {
        leave();
      }
    },
  };
}

/** An agent's built-in tools would give the caller more access than it has. Checked before anything runs. */
function refuseNatives(file: string, library: Library): void {
  const [native] = bundleOf(file, library).natives;
  if (native === undefined) return;
  throw new ToolFailure('refused', `Agents cannot run this workflow: ${native}.`, {
    reason: 'not_isolated',
    suggestion: 'Ask the operator to run it, or to isolate the step.',
  });
}

/** Each step checks this again. */
function refuseHeld(why: string | undefined): void {
  if (why === undefined) return;
  throw new ToolFailure('bad_state', `The workflow can't run yet: ${why}.`, {
    reason: 'older_command_runs',
    suggestion: 'Wait until the command has finished, or stop it with KillBash. Then retry the call.',
    retryable: true,
  });
}

function factsOf(name: string, file: string, library: Library): WorkflowFacts {
  const { workflow } = library.load(file);
  return {
    name,
    ...(workflow.description !== undefined && { description: workflow.description }),
    inputs: workflow.inputs.map((input) => ({
      name: input.name,
      required: input.required === true && input.default === undefined,
      ...(input.description !== undefined && { description: input.description }),
      ...(input.type !== undefined && { type: input.type }),
    })),
  };
}

function ranOf(answer: RunAnswer): Awaited<ReturnType<Runner['run']>> {
  if (answer.kind === 'ran') return plainRun(answer.result);
  if (answer.kind === 'inputs') {
    const missing = answer.missing.map(({ name }) => `The input ${JSON.stringify(name)} is missing.`);
    throw new ToolFailure('refused', [...answer.problems, ...missing].join(' '), {
      reason: 'bad_inputs',
      suggestion: 'Use the inputs shown by list_workflows.',
    });
  }
  const message =
    answer.kind === 'invalid'
      ? `The workflow has errors: ${answer.findings[0]?.message ?? ''}`
      : 'The workflow cannot be run now.';
  throw new ToolFailure('bad_state', message);
}

/** Internal errors contain paths: only the operator sees them, in the run's records. */
function messageFor({ code, message, runId }: RunResult): string | undefined {
  if (code !== 'SYSTEM.INTERNAL.UNMAPPED') return message;
  return `The run stopped because of an internal error in Tidegate. The operator can see it with: tidegate runs show ${runId}`;
}

function plainRun(result: RunResult): Awaited<ReturnType<Runner['run']>> {
  const { runId, status, outputs = {}, states } = result;
  const message = messageFor(result);
  return {
    run: runId,
    status,
    ...(message !== undefined && { message }),
    outputs,
    steps: [...states].map(([name, { status: ended, error }]) => ({
      name,
      status: ended,
      ...(error && { error: error.message, code: error.code }),
    })),
  };
}
