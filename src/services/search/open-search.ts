import { noOwnPaths, type OwnPaths } from '../../ports/own-paths.js';
import type { PortService, Readiness } from '../../ports/tool-ports.js';
import type { Processes } from '../../ports/processes.js';
import type { Search } from '../../ports/search.js';
import { type Session, shareOwner, ToolFailure } from '../../core/index.js';
import { createSlots } from '../../lib/slots.js';
import type { SearchContext, SearchLimits } from './context.js';
import { findFiles } from './find-files.js';
import { findText } from './find-text.js';
import { locateRipgrep, openRipgrep, type Ripgrep } from './ripgrep.js';
import { type BareRoots, readRoots, withoutOwn } from './roots.js';

export interface SearchParts {
  readonly roots: readonly string[];
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tidegate's own files. Absent: none. */
  readonly own?: OwnPaths;
  readonly log?: (line: string) => void;
  readonly limits?: Partial<SearchLimits>;
  /** The clock that dates files. Default: `Date.now`. */
  readonly now?: () => number;
  /** Locates ripgrep. Default: in its package. */
  readonly locate?: () => Promise<string>;
}

const defaults: SearchLimits = { timeMs: 20_000, countingMs: 1000 };
/** One search already uses every core; more at a time would only wait for each other. */
const maxAtATime = 8;
/** The time limit of a search. */
const usualWaitMs = 20_000;

/** The search of one workspace. Locates ripgrep on first use; each search is a separate process. */
export function openSearch(parts: SearchParts): PortService<Search> {
  const { roots: given, processes, env, log, own = noOwnPaths } = parts;
  const limits = { ...defaults, ...parts.limits };
  let locating: Promise<string | undefined> | undefined;
  let ripgrep: Ripgrep | undefined;
  let serving: Promise<ServeSearch> | undefined;

  const locate = (): Promise<string | undefined> => {
    locating ??= (parts.locate ?? locateRipgrep)().catch((error: unknown) => {
      log?.(`ripgrep was not found: ${String(error)}`);
      return undefined;
    });
    return locating;
  };
  const open = async (): Promise<ServeSearch> => {
    const program = await locate();
    if (program === undefined) throw new Error(missing.reason);
    ripgrep ??= openRipgrep({ program, processes, env });
    const roots = await readRoots(given);
    return createSearch({ ripgrep, limits, roots, own, now: parts.now ?? Date.now });
  };
  return {
    readiness: async () => ((await locate()) === undefined ? missing : { state: 'ready' }),
    serve: async (session) => {
      serving ??= open().catch((error: unknown) => {
        // A root that is missing now may exist at the next call.
        serving = undefined;
        throw error;
      });
      return (await serving)(session);
    },
    close: async () => ripgrep?.close(),
  };
}

const missing: Extract<Readiness, { state: 'unavailable' }> = {
  state: 'unavailable',
  reason: `ripgrep for ${process.platform} ${process.arch} is not installed`,
  suggestion: 'Ask the operator to install Tidegate again with its optional dependencies.',
};

type ServeSearch = (session: Session) => Search;

interface SharedParts extends Omit<SearchContext, 'roots'> {
  readonly roots: BareRoots;
  readonly own: OwnPaths;
}

function createSearch({ own, ...shared }: SharedParts): ServeSearch {
  const slots = createSlots({ count: maxAtATime, waitMs: usualWaitMs, tooMany });
  return (session) => {
    const context = { ...shared, roots: withoutOwn(shared.roots, own.viewOf(session)) };
    const owner = shareOwner(session);
    return {
      roots: context.roots.real,
      findFiles: (query, signal) => slots.use(owner, () => findFiles(context, query, signal), signal),
      findText: (query, signal) => slots.use(owner, () => findText(context, query, signal), signal),
    };
  };
}

function tooMany(): ToolFailure {
  return new ToolFailure('bad_state', 'Too many searches are running, so this one did not start.', {
    reason: 'too_many_searches',
    suggestion: 'Wait for your other searches to finish, or narrow them, then call again.',
    retryable: true,
  });
}
