import type { Applied, ImportPlan, ImportOptions } from '../../../features/import/index.js';
import type { State } from '../../../app/index.js';
import { openTrust, printable, shellWord, stateDirectory } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import {
  type Keeping,
  plainPlan,
  showPoints,
  showSecrets,
  showServers,
  showTarget,
  showUnset,
  shortPath,
  unsetLines,
} from './import-text.js';
import { problemLines } from '../../locate.js';
import { serverFileLines } from '../config/trust-servers.js';

export interface ImportChoice {
  readonly isDry: boolean;
  readonly isAgreed: boolean;
  /** Undefined: ask; without a terminal, reference. */
  readonly secrets: 'keep' | 'reference' | undefined;
  /** Change client files even if Tidegate cannot start yet. */
  readonly isForced?: boolean;
  /** Only shows what could be added; nothing was requested to be written. */
  readonly isLook?: true;
  /** The command to repeat with `--yes` if there is no terminal. */
  readonly again: string;
  /** The command that stores values found in client files. */
  readonly keep: string;
  /** Added to the JSON output. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface Imported {
  readonly plan: ImportPlan;
  readonly applied: Applied | undefined;
}

/** Shows the import, asks for confirmation, and does exactly what was shown. */
export async function runImport(
  options: ImportOptions,
  choice: ImportChoice,
  context: Context,
): Promise<Imported> {
  const [{ openState }, { planImport }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../features/import/index.js'),
  ]);
  const trust = openTrust(stateDirectory(context.env));
  const plan = await planned(() => planImport(options));
  const { content, file } = plan.target;
  const isTrusted = content === undefined || trust.isTrusted(file, content.sha256);
  const isChange = changesAnything(plan, choice);
  show(plan, { isTrusted, isChange }, context);
  if (!isChange || choice.isDry) {
    if (options.isPointing) {
      const left = unsetAfter(plan, choice.secrets === 'keep');
      showUnset(left, context, { keeping: await keepingOf(left, options, choice) });
    }
    context.output.json({ ...choice.more, ...plainPlan(plan, isTrusted), written: false });
    if (choice.isDry && choice.isLook !== true) context.output.note('Dry run: nothing was written.');
    return { plan, applied: undefined };
  }
  refuseUnverified(plan, choice);
  if (!isTrusted) refuseUnseen(plan, choice);
  const keeps = await keepsSecrets(plan, choice, context);
  const unset = unsetAfter(plan, keeps);
  refuseUnset(plan, unset, choice);
  if (options.isPointing) showUnset(unset, context);
  await agree(choice, context);
  const applied = await done(plan, keeps, stateOf(openState, context));
  tell(applied, context);
  await tellPassing(context, 'above');
  tellPointed(plan, applied, context);
  // With `--point` they were shown before the confirmation.
  if (!options.isPointing)
    showUnset(unset, context, { isApartFrom: 'above', keeping: await keepingOf(unset, options, choice) });
  context.output.json({ ...choice.more, ...plainPlan(plan, isTrusted), written: true, ...applied });
  return { plan, applied };
}

/** Only what the command would really store, given the current file. */
async function keepingOf(
  unset: readonly string[],
  options: ImportOptions,
  { keep }: ImportChoice,
): Promise<Keeping> {
  const { findPlainTextSecrets } = await import('../../../features/import/index.js');
  return { names: await findPlainTextSecrets(options, unset), command: keep };
}

/** Opened late, because a dry run must not even create the state directory. */
function stateOf(open: (env: Context['env']) => State, { env }: Context): State {
  const state = open(env);
  const problem = state.problem ?? state.trust.problem();
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
  return state;
}

async function done(plan: ImportPlan, keeps: boolean, state: State): Promise<Applied> {
  const { applyImport } = await import('../../../features/import/index.js');
  return planned(() => Promise.resolve(applyImport(plan, state, keeps)));
}

/** Turns refusals of the app into failures of the command. */
export async function planned<T>(work: () => Promise<T>): Promise<T> {
  const { ImportRefused, StateRefused, TargetRefused } = await import('../../../features/import/index.js');
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportRefused) throw new Failure(error.code, error.message, error.next, error.lines);
    if (error instanceof StateRefused)
      throw new Failure(error.problem.code, error.message, error.problem.remedy);
    if (!(error instanceof TargetRefused)) throw error;
    const next = `fix them, then run: tidegate config check ${shellWord(error.file)}`;
    throw new Failure('config.invalid', error.message, next, problemLines(error.problems));
  }
}

interface Showing {
  readonly isTrusted: boolean;
  readonly isChange: boolean;
}

function show(plan: ImportPlan, { isTrusted, isChange }: Showing, context: Context): void {
  for (const { message } of plan.problems) context.output.note(`Skipped: ${message}`);
  showServers(plan, context);
  showTarget(plan, isTrusted, context);
  for (const line of serverFileLines(plan.runs, context.cwd)) context.output.line(line);
  // Without a change, secrets stay where they are.
  if (isChange) showSecrets(plan, context);
  showPoints(plan, context);
}

function changesAnything({ target, text, points, secrets }: ImportPlan, choice: ImportChoice): boolean {
  const keepsAny = choice.secrets === 'keep' && secrets.some(({ isThere }) => !isThere);
  return text !== (target.content?.text ?? '') || points.length > 0 || keepsAny;
}

/** Stops before writing anything if one file cannot be changed safely. */
function refuseUnverified({ points }: ImportPlan, { again }: ImportChoice): void {
  const bad = points.find(({ after }) => after === undefined);
  if (bad === undefined) return;
  const message = `Nothing was written because ${bad.source.file.path} cannot be changed safely: ${bad.why ?? ''}.`;
  const next = `add the shown lines by hand, then run: ${again.replace(' --point', '')}`;
  throw new Failure('import.unverified', message, next, bad.byHand);
}

function unsetAfter({ unset, secrets }: ImportPlan, keeps: boolean): readonly string[] {
  return keeps ? unset.filter((name) => secrets.every((secret) => secret.name !== name)) : unset;
}

/** A client must not lose its servers to a gateway that cannot start, unless the user agreed. */
function refuseUnset(plan: ImportPlan, unset: readonly string[], choice: ImportChoice): void {
  const hasConsent = !choice.isAgreed || choice.isForced === true || choice.secrets === 'reference';
  if (hasConsent || plan.points.length === 0 || unset.length === 0) return;
  const [lasting] = unsetAfter(plan, true);
  const next =
    lasting === undefined
      ? `${choice.again} --yes --secrets keep`
      : `tidegate secrets set ${shellWord(lasting)}`;
  const message = `Nothing was written: Tidegate could not start, because ${unset.join(', ')} ${unset.length === 1 ? 'has' : 'have'} no value.`;
  throw new Failure('import.variables_unset', message, next, unsetLines(unset));
}

/** `--yes` agrees to what is added, never to unreviewed content from a checkout. */
function refuseUnseen({ target, text, points }: ImportPlan, { isAgreed }: ImportChoice): void {
  const isUsed = points.length > 0 || text !== (target.content?.text ?? '');
  if (!isAgreed || !isUsed) return;
  const message = `Nothing was written: ${target.file} already exists and is not trusted, and --yes does not trust it.`;
  throw new Failure('import.untrusted', message, `tidegate trust ${shellWord(target.file)}`);
}

async function keepsSecrets(
  { secrets }: ImportPlan,
  choice: ImportChoice,
  { input, output }: Context,
): Promise<boolean> {
  if (choice.secrets !== undefined) return choice.secrets === 'keep';
  const clear = secrets.filter(({ isThere }) => !isThere);
  if (clear.length === 0 || choice.isAgreed || !input.isTerminal || output.isJson) return false;
  const question = `Keep ${clear.length === 1 ? 'this secret' : `these ${String(clear.length)} secrets`} in Tidegate's private file, or set the variables yourself? [k]eep / [S]et `;
  for (;;) {
    const answer = (await input.ask(question)).trim();
    if (/^(?:k|keep|y|yes)$/i.test(answer)) return true;
    if (/^(?:s|set|n|no)?$/i.test(answer)) return false;
  }
}

async function agree({ isAgreed, again }: ImportChoice, { input, output, signal }: Context): Promise<void> {
  if (isAgreed) return;
  if (!input.isTerminal || output.isJson)
    throw new Failure(
      'import.not_asked',
      'Nothing was written: confirmation requires a terminal.',
      `${again} --yes`,
    );
  const answer = await input.ask('Write this and allow Tidegate to start these servers here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim()))
    throw new Failure('import.refused', 'Nothing was written.', `${again} --dry-run`);
}

function tell({ written, kept, pointed }: Applied, { output }: Context): void {
  if (written !== undefined) output.line(`Wrote and trusted ${printable(shortPath(written.file))}`);
  if (kept.length > 0) output.line(`Stored ${kept.join(', ')} in the secrets file.`);
  for (const file of pointed) output.line(`Connected ${printable(shortPath(file))} to Tidegate.`);
}

/** After npx there is no `tidegate` command, so the next steps would end with "command not found". */
export async function tellPassing(
  { output, version }: Context,
  isApartFrom: 'above' | 'below',
): Promise<void> {
  const { installCommand, isPassing } = await import('../../../features/import/index.js');
  if (!isPassing()) return;
  if (isApartFrom === 'above') output.line();
  output.line('Tidegate was started with npx and is not installed. To install the tidegate command, run:');
  output.line(printable(`  ${installCommand(version)}`));
  if (isApartFrom === 'below') output.line();
}

function tellPointed(plan: ImportPlan, { pointed }: Applied, { output }: Context): void {
  if (pointed.length > 0) output.line('To undo this: tidegate import --undo');
  if (isUsedEverywhere(plan))
    output.note(
      `Your user-level client files now use ${printable(shortPath(plan.target.file))} in every folder. With --user, they would use your user-level tidegate.yaml.`,
    );
}

/** User-level client files now refer to the configuration of one folder. */
function isUsedEverywhere({ target, points }: ImportPlan): boolean {
  return !target.isOperators && points.some(({ source }) => source.file.scope === 'user');
}
