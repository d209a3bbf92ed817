import { type Runner, type Session, ToolFailure, type WorkflowFacts } from '../../kernel/index.js';
import { bundleOf, type Library, type RunEvent, type RunResult } from '../../workflow/index.js';
import { openState } from '../locate-config.js';
import type { Tidegate, TidegateOptions } from '../tidegate.js';
import { openTrustedLibrary } from './library.js';
import { runInFolder } from './run-in-folder.js';
import type { RunLimit } from './run-limit.js';
import type { RunAnswer } from './run-wish.js';

export interface RunnerParts {
  readonly tidegate: Tidegate;
  readonly options: TidegateOptions;
  readonly session: Session;
  /** Of the whole gate. */
  readonly limit: RunLimit;
}

/** Workflows for agents: only those whose content, with all that they use, was trusted; with the agent's own rights. */
export function openRunner({ tidegate, options, session, limit }: RunnerParts): Runner {
  const { cwd, env, version, configFile } = options;
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };

  function isTrusted(file: string, library: Library): boolean {
    const { sha256, unknown } = bundleOf(file, library);
    return unknown.length === 0 && openState(env).trust.isTrusted(file, sha256);
  }

  return {
    async list() {
      const library = await openTrustedLibrary(place);
      return library
        .list()
        .flatMap(({ name, file }) => (isTrusted(file, library) ? [factsOf(name, file, library)] : []));
    },
    async run(name, inputs, line, onStep) {
      const library = await openTrustedLibrary(place);
      const known = library.list().find((one) => one.name === name);
      // What is there and not trusted is as unknown as what is not there.
      if (known === undefined || !isTrusted(known.file, library)) {
        throw new ToolFailure('not_found', `There is no workflow ${JSON.stringify(name)}.`, {
          suggestion: 'Use a name from list_workflows.',
        });
      }
      // What was hashed is what is run, and nothing else.
      library.seal();
      const leave = limit.enter(session);
      const wish = {
        ...place,
        version,
        workflow: known.file,
        library,
        inputs,
        signal: line.signal,
        // With a library of its own: this one remembers what it has read.
        isStillTrusted: async () => isTrusted(known.file, await openTrustedLibrary(place)),
        onEvent: (event: RunEvent) => {
          if (event.kind === 'step-ended') onStep(event.path, event.result.status);
        },
      };
      try {
        const answer = await runInFolder(wish, () =>
          Promise.resolve({ tidegate, session, close: () => Promise.resolve() }),
        );
        return ranOf(answer);
      } finally {
        leave();
      }
    },
  };
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
      suggestion: 'Correct the inputs as list_workflows names them.',
    });
  }
  const message =
    answer.kind === 'invalid'
      ? `The workflow has errors: ${answer.findings[0]?.message ?? ''}`
      : 'The workflow cannot be run now.';
  throw new ToolFailure('bad_state', message);
}

function plainRun({
  runId,
  status,
  message,
  outputs = {},
  states,
}: RunResult): Awaited<ReturnType<Runner['run']>> {
  return {
    run: runId,
    status,
    ...(message !== undefined && { message }),
    outputs,
    steps: [...states].map(([name, { status: ended, error }]) => ({
      name,
      status: ended,
      ...(error && { error: error.message }),
    })),
  };
}
