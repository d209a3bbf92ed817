import { basename, dirname, resolve } from 'node:path';
import { printable, printableLines } from '../config/index.js';
import type { Context } from './command.js';
import { exitCodes } from './exit-codes.js';
import { Failure } from './failure.js';
import { shellPath } from './shell-path.js';

/** Whether a file is one of the workflows that agents can be let run. */
export function isWorkflowFile(named: string | undefined, { cwd }: Context): named is string {
  if (named === undefined || !/\.ya?ml$/.test(named)) return false;
  return basename(dirname(resolve(cwd, named))) === 'workflows';
}

/** Lets agents run a workflow with `execute_workflow`, as it is now and with the files that it uses now. */
export async function trustWorkflow(
  named: string,
  context: Context,
  agree: () => Promise<void>,
): Promise<number> {
  const { cwd, env, output, version, signal } = context;
  const [{ openState }, { describeFinding, workflowToTrust }] = await Promise.all([
    import('../app/index.js'),
    import('../app/workflows/index.js'),
  ]);
  const found = await workflowToTrust({ cwd, env, version, signal }, resolve(cwd, named));
  if (found === undefined)
    throw new Failure('workflow.not_found', `There is no workflow ${JSON.stringify(named)}.`);
  const { file, sha256, files, unknown, plan, findings, isValid } = found;
  const told = findings.map((finding) => describeFinding(finding));
  if (!isValid || unknown.length > 0) {
    const why = isValid
      ? `it uses files that only a run works out, or that cannot be read: ${unknown.map(printable).join(', ')}`
      : 'the workflow has errors';
    throw new Failure(
      'workflow.invalid',
      `Nothing was trusted: ${why}.`,
      `tidegate validate ${shellPath(file)}`,
      told,
    );
  }
  for (const line of told) output.note(line);
  const state = openState(env);
  const isKnown = state.trust.isTrusted(file, sha256);
  if (!isKnown) {
    for (const line of plan) output.line(printableLines(line));
    output.line('With these files:');
    for (const one of files) output.line(`  ${printable(one)}`);
    await agree();
    const problem = state.trust.record(file, sha256);
    if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
  }
  output.json({ file, sha256, files, trusted: true });
  output.line(`${isKnown ? 'Already trusted' : 'Trusted'}: ${printable(file)}`);
  return exitCodes.ok;
}
