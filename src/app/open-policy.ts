import { createPolicy, type Policy } from '../access/authority/index.js';
import type { CompiledModel } from '../access/engine/index.js';
import type { KnownTool, Profiles } from '../access/profiles/index.js';
import { describeProblem, hasErrors, type Problem, watchConfig, watchProfiles } from '../config/index.js';
import { type LocatedProfiles, locateProfiles, type ProfilesPlace } from './locate-profiles.js';

/** The profiles and the model that hold here, and the profiles that come after them. */
export interface OpenPolicy {
  readonly model: CompiledModel;
  readonly problems: readonly Problem[];
  /** Files that are there and not used, because nobody trusted them. */
  untrusted(): readonly string[];
  profiles(): Profiles;
  /** What the file names that fits none of these tools. */
  warnings(tools: readonly KnownTool[]): readonly Problem[];
  current(): Policy;
  /** Told when the file changed and may be used. */
  onChange(listener: (policy: Policy) => void): () => void;
  close(): void;
}

export interface PolicyParts {
  readonly place: ProfilesPlace;
  /** What the gate was started with: it is also what principals without a profile have here. */
  readonly profile?: string;
  /** Whether to follow the file while the gate runs. */
  readonly isLive: boolean;
  readonly trustFile: string;
  readonly log: (
    level: 'warn' | 'info' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

export async function openPolicy({ place, profile, log, ...parts }: PolicyParts): Promise<OpenPolicy> {
  let located = await locateProfiles(place);
  let policy = createPolicy(located.profiles, profile);
  let running: Promise<void> = Promise.resolve();
  const listeners = new Set<(policy: Policy) => void>();
  if (!hasErrors(located.problems)) tellUntrusted(located);

  function tellUntrusted({ files }: LocatedProfiles): void {
    for (const { file, isTrusted } of files) {
      if (!isTrusted)
        log('warn', 'the file is not trusted: what is shipped applies instead; run `tidegate trust`', {
          file,
        });
    }
  }

  async function reload(): Promise<void> {
    const next = await locateProfiles(place);
    if (next.stamp === located.stamp) return;
    if (hasErrors(next.problems)) {
      const problems = next.problems.map(describeProblem);
      return log('error', 'profiles not reloaded: the file has errors', { problems });
    }
    if (JSON.stringify(next.model) !== JSON.stringify(located.model))
      log('warn', 'a changed model takes effect at the next start');
    located = next;
    policy = createPolicy(located.profiles, profile);
    log('info', 'profiles reloaded', { profiles: located.profiles.profiles.size });
    tellUntrusted(located);
    for (const listener of listeners) listener(policy);
  }

  const later = (): void => {
    running = running.then(reload).catch((error: unknown) => {
      log('error', 'profiles not reloaded', { error: String(error) });
    });
  };
  const { access, directory } = place;
  const watches = parts.isLive
    ? [watchProfiles({ directory, ...filesNamed(access) }, later), watchConfig(parts.trustFile, later)]
    : [];
  return {
    model: located.model,
    problems: located.problems,
    untrusted: () => located.files.flatMap(({ file, isTrusted }) => (isTrusted ? [] : [file])),
    profiles: () => located.profiles,
    warnings: (tools) => located.warnings(tools),
    current: () => policy,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

function filesNamed({ profiles, model }: ProfilesPlace['access']): { profiles?: string; model?: string } {
  return { ...(profiles !== undefined && { profiles }), ...(model !== undefined && { model }) };
}
