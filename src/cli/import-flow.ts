import type { Applied, ImportPlan, ImportWish } from '../app/import/index.js';
import type { State } from '../app/index.js';
import { openTrust, printable, stateDirectory } from '../config/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';
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
import { problemLines } from './locate.js';
import { shellPath } from './shell-path.js';

export interface ImportChoice {
  readonly isDry: boolean;
  readonly isAgreed: boolean;
  /** Undefined: the person is asked, and without one nothing is kept. */
  readonly secrets: 'keep' | 'reference' | undefined;
  /** Files of clients are pointed at the gate even if it cannot start yet. */
  readonly isForced?: boolean;
  /** Only to see what could be added: nobody asked for anything to be written. */
  readonly isLook?: true;
  /** What to type with `--yes` where there is nobody to ask. */
  readonly again: string;
  /** What to type to keep values that stand in files of clients. */
  readonly keep: string;
  /** Added to what is printed as JSON. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface Imported {
  readonly plan: ImportPlan;
  readonly applied: Applied | undefined;
}

/** Shows an import, asks, and does exactly what was shown. */
export async function runImport(wish: ImportWish, choice: ImportChoice, context: Context): Promise<Imported> {
  const [{ openState }, { planImport }] = await Promise.all([
    import('../app/index.js'),
    import('../app/import/index.js'),
  ]);
  const trust = openTrust(stateDirectory(context.env));
  const plan = await planned(() => planImport(wish));
  const { content, file } = plan.target;
  const isTrusted = content === undefined || trust.isTrusted(file, content.sha256);
  const isChange = changesAnything(plan, choice);
  show(plan, { isTrusted, isChange }, context);
  if (!isChange || choice.isDry) {
    if (wish.isPointing) {
      const left = unsetAfter(plan, choice.secrets === 'keep');
      showUnset(left, context, { keeping: await keepingOf(left, wish, choice) });
    }
    context.output.json({ ...choice.more, ...plainPlan(plan, isTrusted), written: false });
    if (choice.isDry && choice.isLook !== true) context.output.note('dry run: nothing was written');
    return { plan, applied: undefined };
  }
  refuseUnverified(plan, choice);
  if (!isTrusted) refuseUnseen(plan, choice);
  const keeps = await keepsSecrets(plan, choice, context);
  const unset = unsetAfter(plan, keeps);
  refuseUnset(plan, unset, choice);
  if (wish.isPointing) showUnset(unset, context);
  await agree(choice, context);
  const applied = await done(plan, keeps, stateOf(openState, context));
  tell(applied, context);
  await tellPassing(context, 'above');
  tellPointed(plan, applied, context);
  // Whoever points has seen them before the question.
  if (!wish.isPointing)
    showUnset(unset, context, { isApartFrom: 'above', keeping: await keepingOf(unset, wish, choice) });
  context.output.json({ ...choice.more, ...plainPlan(plan, isTrusted), written: true, ...applied });
  return { plan, applied };
}

/** Only what the command would really keep, now that the file is as it is. */
async function keepingOf(
  unset: readonly string[],
  wish: ImportWish,
  { keep }: ImportChoice,
): Promise<Keeping> {
  const { stillInClear } = await import('../app/import/index.js');
  return { names: await stillInClear(wish, unset), command: keep };
}

/** Only now, because even the directory of a state is something that a dry run does not make. */
function stateOf(open: (env: Context['env']) => State, { env }: Context): State {
  const state = open(env);
  const problem = state.problem ?? state.trust.problem();
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
  return state;
}

async function done(plan: ImportPlan, keeps: boolean, state: State): Promise<Applied> {
  const { applyImport } = await import('../app/import/index.js');
  return planned(() => Promise.resolve(applyImport(plan, state, keeps)));
}

/** What the app refuses, in the words of the command line. */
export async function planned<T>(work: () => Promise<T>): Promise<T> {
  const { ImportRefused, StateRefused, TargetRefused } = await import('../app/import/index.js');
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportRefused) throw new Failure(error.code, error.message, error.next, error.lines);
    if (error instanceof StateRefused)
      throw new Failure(error.problem.code, error.message, error.problem.remedy);
    if (!(error instanceof TargetRefused)) throw error;
    const next = `correct them, then: tidegate config check ${shellPath(error.file)}`;
    throw new Failure('config.invalid', error.message, next, problemLines(error.problems));
  }
}

interface Showing {
  readonly isTrusted: boolean;
  readonly isChange: boolean;
}

function show(plan: ImportPlan, { isTrusted, isChange }: Showing, context: Context): void {
  for (const { message } of plan.problems) context.output.note(`left out: ${message}`);
  showServers(plan, context);
  showTarget(plan, isTrusted, context);
  // Where nothing is written they stay what they are.
  if (isChange) showSecrets(plan, context);
  showPoints(plan, context);
}

function changesAnything({ target, text, points, secrets }: ImportPlan, choice: ImportChoice): boolean {
  const keepsAny = choice.secrets === 'keep' && secrets.some(({ isThere }) => !isThere);
  return text !== (target.content?.text ?? '') || points.length > 0 || keepsAny;
}

/** A file that cannot be changed safely stops everything, before anything was written. */
function refuseUnverified({ points }: ImportPlan, { again }: ImportChoice): void {
  const bad = points.find(({ after }) => after === undefined);
  if (bad === undefined) return;
  const message = `${bad.source.file.path} was not changed, and nothing else: ${bad.why ?? ''}.`;
  const next = `put it there by hand, then: ${again.replace(' --point', '')}`;
  throw new Failure('import.unverified', message, next, bad.byHand);
}

function unsetAfter({ unset, secrets }: ImportPlan, keeps: boolean): readonly string[] {
  return keeps ? unset.filter((name) => secrets.every((secret) => secret.name !== name)) : unset;
}

/** A client must not lose its servers to a gate that cannot start, unless somebody said so. */
function refuseUnset(plan: ImportPlan, unset: readonly string[], choice: ImportChoice): void {
  const hasConsent = !choice.isAgreed || choice.isForced === true || choice.secrets === 'reference';
  if (hasConsent || plan.points.length === 0 || unset.length === 0) return;
  const [lasting] = unsetAfter(plan, true);
  const next =
    lasting === undefined ? `${choice.again} --yes --secrets keep` : `tidegate secrets set ${lasting}`;
  const message = `Nothing was written: the gate would not start, because ${unset.join(', ')} ${unset.length === 1 ? 'is' : 'are'} neither set nor kept.`;
  throw new Failure('import.variables_unset', message, next, unsetLines(unset));
}

/** `--yes` speaks for what is added, never for what a checkout brought: nobody looked at that. */
function refuseUnseen({ target, text, points }: ImportPlan, { isAgreed }: ImportChoice): void {
  const isUsed = points.length > 0 || text !== (target.content?.text ?? '');
  if (!isAgreed || !isUsed) return;
  const message = `Nothing was written: ${target.file} is there already and not trusted, and --yes does not trust it.`;
  throw new Failure('import.untrusted', message, `tidegate trust ${shellPath(target.file)}`);
}

async function keepsSecrets(
  { secrets }: ImportPlan,
  choice: ImportChoice,
  { input, output }: Context,
): Promise<boolean> {
  if (choice.secrets !== undefined) return choice.secrets === 'keep';
  const clear = secrets.filter(({ isThere }) => !isThere);
  if (clear.length === 0 || choice.isAgreed || !input.isTerminal || output.isJson) return false;
  const question = `Keep ${clear.length === 1 ? 'this secret' : `these ${String(clear.length)} secrets`} in Tidegate's own file, for you alone, or set the variables yourself? [k]eep / [S]et `;
  for (;;) {
    const answer = (await input.ask(question)).trim();
    if (/^(?:k|keep|y|yes)$/i.test(answer)) return true;
    if (/^(?:s|set|n|no)?$/i.test(answer)) return false;
  }
}

async function agree({ isAgreed, again }: ImportChoice, { input, output, signal }: Context): Promise<void> {
  if (isAgreed) return;
  if (!input.isTerminal || output.isJson)
    throw new Failure('import.not_asked', 'Nothing was written: there is nobody to ask.', `${again} --yes`);
  const answer = await input.ask(
    'Write this, and let these servers start whenever Tidegate works here? [y/N] ',
  );
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim()))
    throw new Failure('import.refused', 'Nothing was written.', `${again} --dry-run`);
}

function tell({ written, kept, pointed }: Applied, { output }: Context): void {
  if (written !== undefined) output.line(`Wrote and trusted ${printable(shortPath(written.file))}`);
  if (kept.length > 0) output.line(`Kept ${kept.join(', ')} in the file of secrets.`);
  for (const file of pointed) output.line(`Pointed ${printable(shortPath(file))} at the gate.`);
}

/** What npx started is no command afterwards: without this, every other next step ends with "command not found". */
export async function tellPassing(
  { output, version }: Context,
  isApartFrom: 'above' | 'below',
): Promise<void> {
  const { installCommand, isPassing } = await import('../app/import/index.js');
  if (!isPassing()) return;
  if (isApartFrom === 'above') output.line();
  output.line('Tidegate was started by npx and does not stay. To have the command tidegate, first type:');
  output.line(printable(`  ${installCommand(version)}`));
  if (isApartFrom === 'below') output.line();
}

function tellPointed(plan: ImportPlan, { pointed }: Applied, { output }: Context): void {
  if (pointed.length > 0) output.line('Take it back with: tidegate import --undo');
  if (isUsedEverywhere(plan))
    output.note(
      `your own files of clients use ${printable(shortPath(plan.target.file))} in every folder; with --user they would use your own tidegate.yaml`,
    );
}

/** Files of the user now name the file of one folder. */
function isUsedEverywhere({ target, points }: ImportPlan): boolean {
  return !target.isOperators && points.some(({ source }) => source.file.scope === 'user');
}
