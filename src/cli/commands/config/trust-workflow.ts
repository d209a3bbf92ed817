import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { WorkflowToTrust } from '../../../features/workflows/index.js';
import { printable, printableLines, shellWord } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { openTidegate } from '../../open-tidegate.js';

/** Whether a file is a workflow that agents can be allowed to run. */
export function isWorkflowFile(named: string | undefined, { cwd }: Context): named is string {
  if (named === undefined || !/\.ya?ml$/.test(named)) return false;
  return basename(dirname(resolve(cwd, named))) === 'workflows';
}

/** Lets agents run a workflow with `execute_workflow`, in its current state and with its current files. */
export async function trustWorkflow(
  named: string,
  context: Context,
  agree: () => Promise<void>,
): Promise<number> {
  const { cwd, env, output, version, signal } = context;
  const [{ openState }, { describeFinding, workflowToTrust }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../features/workflows/index.js'),
  ]);
  const found = await workflowToTrust(openTidegate, { cwd, env, version, signal }, resolve(cwd, named));
  if (found === undefined)
    throw new Failure('workflow.not_found', `Unknown workflow: ${JSON.stringify(named)}.`);
  const { file, sha256, files, lock, plan, findings } = found;
  const lines = findings.map((finding) => describeFinding(finding));
  const why = obstacle(found);
  if (why !== undefined) {
    throw new Failure(
      'workflow.invalid',
      `Nothing was trusted: ${why}.`,
      `tidegate validate ${shellWord(file)}`,
      lines,
    );
  }
  for (const line of lines) output.note(line);
  const state = openState(env);
  const isKnown = state.trust.isTrusted(file, sha256);
  if (!isKnown) {
    for (const line of plan) output.line(printableLines(line));
    output.line('Uses these files:');
    for (const one of files) output.line(`  ${printable(withTarget(one))}`);
    await agree();
    const problem = state.trust.record(file, sha256, lock);
    if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
  }
  output.json({ file, sha256, files, trusted: true });
  output.line(`${isKnown ? 'Already trusted' : 'Trusted'}: ${printable(file)}`);
  return exitCodes.ok;
}

/** A link may lead to any file, so show where. */
function withTarget(file: string): string {
  try {
    const real = realpathSync(file);
    return real === file ? file : `${file} -> ${real}`;
  } catch {
    return file;
  }
}

/** Why a workflow cannot be trusted. */
function obstacle({ isValid, unknown, unsafe }: WorkflowToTrust): string | undefined {
  if (!isValid) return 'the workflow has errors';
  if (unsafe.length > 0) return unsafe.map(printable).join('; ');
  if (unknown.length === 0) return undefined;
  return `it uses files that are only known at run time or cannot be read: ${unknown.map(printable).join(', ')}`;
}
