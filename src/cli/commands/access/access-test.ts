import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context } from '../../command.js';
import { readDocumentFile } from './document-file.js';
import { exitCodes } from '../../exit-codes.js';
import { withAdmin } from './with-admin.js';

type TestRun = Awaited<ReturnType<OpenAdmin['service']['test']>>;

export const accessTest: Command = {
  name: 'access test',
  summary: 'Test grants against a file of assertions. Exits with 0 if all pass, 1 otherwise.',
  arguments: [
    {
      name: '<file>',
      about:
        'YAML or JSON file with a list of tests. If it also has tuples or profiles, they replace the stored ones.',
    },
  ],
  options: [configOption],
  examples: ['tidegate access test access-tests.yaml'],
  async run(given, context) {
    const [file = ''] = given.arguments;
    const document = await readDocumentFile(file, context);
    const work = async (service: OpenAdmin['service']): Promise<TestRun> => service.test(document);
    const run = await withAdmin(given, context, work, { needsStore: false });
    context.output.json(run);
    show(run, context);
    return run.failed === 0 ? exitCodes.ok : exitCodes.internal;
  },
};

function show({ tests, passed, failed, revision }: TestRun, { output }: Context): void {
  for (const test of tests) {
    const sign = test.passed ? output.paint('green', 'pass') : output.paint('red', 'FAIL');
    output.line(`${sign}  ${printable(test.name)}  ${output.paint('dim', printable(test.as))}`);
    for (const { says, passed: holds, why = '' } of test.checks)
      if (!holds) output.say(`      ${printable(says)}: ${printable(why)}`);
  }
  const state = revision === undefined ? '' : ` at revision ${String(revision)}`;
  output.line(`\n${String(passed)} passed, ${String(failed)} failed${state}`);
}
