import { parsePrincipal } from '../access/index.js';
import { type Config, describeProblem, hasErrors, openShapeMemory } from '../config/index.js';
import { nearest } from '../lib/nearest.js';
import type { Log } from '../ports/log.js';
import { AccessRefused } from '../workspace/access-refused.js';
import type { AccessParts } from '../workspace/access/open-access.js';
import { ConfigRefused } from '../workspace/config-refused.js';
import { type Governing, governingConfig } from '../workspace/governing-config.js';
import { openState, type Place, type State } from '../workspace/locate-config.js';
import { type KnownPlaces, openKnownPlaces } from '../workspace/known-places.js';
import { knownPlace, linkProblem, stateAroundProblem } from '../workspace/own-places.js';
import type { TidegateOptions } from '../workspace/tidegate.js';

/** What is known before anything is opened. */
export interface Start {
  readonly options: TidegateOptions;
  readonly state: State;
  readonly place: Place;
  readonly located: Governing;
  readonly config: Config;
  readonly places: KnownPlaces;
  /** Runs one command and ends, instead of serving. */
  readonly isCommand: boolean;
  /** The principal and profile of local sessions, if given. */
  readonly actor: Pick<AccessParts, 'as' | 'profile'>;
}

/** Reads the configuration. Throws ConfigRefused or AccessRefused if the gateway cannot start with it. */
export async function readStart(options: TidegateOptions): Promise<Start> {
  const state = openState(options.env);
  if (state.problem) throw new ConfigRefused([state.problem]);
  const place = { ...options, shapes: openShapeMemory(state.directory, options.version) };
  const located = await governingConfig(place, state.trust);
  if (hasErrors(located.problems)) throw new ConfigRefused(located.problems);
  const { config, folder } = located;
  const actor = actingAs(options, config.access.zone);
  const isCommand = options.mode === 'command';
  const inState = isCommand ? undefined : stateAroundProblem(config.workspace.roots, state.directory);
  if (inState !== undefined) throw new ConfigRefused([inState]);
  const places = openKnownPlaces(state.directory);
  const { env, logFile } = options;
  const own = { config, env, folder, ...(logFile !== undefined && { logFile }) };
  const link = linkProblem({ ...own, others: places.all() });
  if (link !== undefined) throw new ConfigRefused([link]);
  // A command in a folder without a configuration has no files of its own there.
  if (!isCommand || config.file !== undefined) places.add(knownPlace(own));
  return { options, state, place, located, config, places, isCommand, actor };
}

/** Problems which mean that the nearest configuration file does not apply. */
const decidingCodes: ReadonlySet<string> = new Set(['config.passed_over', 'config.changed']);

/** Logs why the nearest configuration file does not apply. */
export function logStart({ located: { problems, file, isTrusted, isKept } }: Start, log: Log): void {
  for (const problem of problems) if (decidingCodes.has(problem.code)) log('warn', describeProblem(problem));
  if (!isTrusted && isKept !== true)
    log('warn', 'the file is not trusted and is ignored; run `tidegate trust`', { file });
}

function actingAs({ as, profile }: TidegateOptions, zone: string): Start['actor'] {
  const principal = as === undefined ? undefined : parsePrincipal(as);
  if (as !== undefined && principal === undefined)
    throw new AccessRefused(
      'access.bad_principal',
      `"${as}" is not a valid principal. Use kind:id, such as agent:alice.${likelyPrincipal(as)}`,
    );
  return { ...(principal && { as: { ...principal, zone } }), ...(profile !== undefined && { profile }) };
}

/** Suggests a principal if the kind is misspelled or missing. */
function likelyPrincipal(as: string): string {
  const [kind = '', ...id] = as.split(':');
  const near = id.length === 0 ? 'agent' : nearest(kind, ['agent', 'user', 'service']);
  const likely = `${near ?? ''}:${id.length === 0 ? as : id.join(':')}`;
  return parsePrincipal(likely) === undefined ? '' : ` Did you mean ${likely}?`;
}
