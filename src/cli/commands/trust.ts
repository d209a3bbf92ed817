import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasErrors, printable, type Problem } from '../../config/index.js';
import type { Command, Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { locate, type Place, problemLines } from '../locate.js';
import { shellPath } from '../shell-path.js';
import { realFile, startsOf } from '../what-starts.js';

export const trust: Command = {
  name: 'trust',
  summary: 'Show what a configuration file would start, and allow exactly this content to do so.',
  arguments: [{ name: '[file]', about: 'The file to trust. Default: the nearest tidegate.yaml.' }],
  options: [
    { name: 'yes', about: 'Do not ask.' },
    { name: 'forget', about: 'Take the trust back.' },
    { name: 'list', about: 'List the trusted files.' },
  ],
  examples: ['tidegate trust', 'tidegate trust ./tidegate.yaml --yes', 'tidegate trust --forget'],
  async run(given, context) {
    const { yes, forget, list } = given.options;
    if ([yes, forget, list].filter((option) => option === true).length > 1) {
      throw new Failure(
        'usage.exclusive',
        '--yes, --forget and --list exclude each other.',
        'tidegate trust --help',
      );
    }
    if (list === true) return listTrusted(context);
    const [named] = given.arguments;
    if (forget === true) return forgetFile(named, context);
    return trustFile(await locate(named, context), context, yes === true);
  },
};

async function listTrusted({ env, output }: Context): Promise<ExitCode> {
  const { openState } = await import('../../app/index.js');
  const state = openState(env);
  refuse(state.problem ?? state.trust.problem());
  const records = state.trust.list();
  output.json({ trusted: records });
  output.table(records.map(({ file, sha256, recorded }) => [recorded, sha256.slice(0, 12), printable(file)]));
  if (records.length === 0) output.note('nothing is trusted yet');
  return exitCodes.ok;
}

async function forgetFile(named: string | undefined, context: Context): Promise<ExitCode> {
  const { openState } = await import('../../app/index.js');
  const { output, env } = context;
  const { trust: record } = openState(env);
  refuse(record.problem());
  const gone = goneFile(named, context);
  const isRecorded = record.list().some((known) => known.file === gone);
  const file = gone !== undefined && isRecorded ? gone : realFile((await locate(named, context)).located);
  refuse(record.forget(file));
  output.json({ file, trusted: false });
  output.line(`No longer trusted: ${printable(file)}`);
  return exitCodes.ok;
}

/** The path of a named file that cannot be read any more, by its words alone; undefined when it is there. */
function goneFile(named: string | undefined, { cwd }: Context): string | undefined {
  if (named === undefined) return undefined;
  const file = resolve(cwd, named);
  return existsSync(file) ? undefined : file;
}

async function trustFile(place: Place, context: Context, isAgreed: boolean): Promise<ExitCode> {
  const { located, state, trustProblem } = place;
  const { sha256, isTrusted, problems } = located;
  const file = realFile(located);
  refuse(trustProblem);
  if (hasErrors(problems) || sha256 === undefined) {
    const next = `tidegate config check ${shellPath(file)}`;
    throw new Failure(
      'config.invalid',
      'Nothing was trusted: the file has errors.',
      next,
      problemLines(problems),
    );
  }
  const starts = await startsOf(located, context);
  if (!isTrusted) {
    for (const line of starts.lines) context.output.line(line);
    if (!isAgreed) await agree(file, context);
    refuse(state.trust.record(file, sha256));
  }
  context.output.json({ file, sha256, trusted: true, starts: starts.servers, settings: starts.settings });
  context.output.line(`${isTrusted ? 'Already trusted' : 'Trusted'}: ${printable(file)}`);
  return exitCodes.ok;
}

async function agree(file: string, { input, output, signal }: Context): Promise<void> {
  if (!input.isTerminal || output.isJson) {
    const message = 'Nothing was trusted: there is nobody to ask.';
    throw new Failure('trust.not_asked', message, `tidegate trust ${shellPath(file)} --yes`);
  }
  const answer = await input.ask('Start these whenever Tidegate runs here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim())) {
    throw new Failure('trust.refused', 'Nothing was trusted.');
  }
}

function refuse(problem: Problem | undefined): void {
  if (problem === undefined) return;
  throw new Failure(problem.code, problem.message, problem.remedy);
}
