import { createPolicy, type Policy } from '../../access/authorizer/index.js';
import type { CompiledModel } from '../../access/engine/index.js';
import type { KnownTool, Profiles } from '../../access/profiles/index.js';
import { describeProblem, hasErrors, type Problem, watchConfig, watchProfiles } from '../../config/index.js';
import { type LocatedProfiles, locateProfiles, type ProfilesPlace } from '../locate-profiles.js';

/** The profiles and the model in force; profiles are reloaded when the file changes. */
export interface OpenPolicy {
  readonly model: CompiledModel;
  readonly problems: readonly Problem[];
  /** Files that are ignored because they are not trusted. */
  untrusted(): readonly string[];
  profiles(): Profiles;
  /** Entries of the file that match none of these tools. */
  warnings(tools: readonly KnownTool[]): readonly Problem[];
  current(): Policy;
  /** The model on disk changed; a running gateway cannot switch to it. */
  isModelChanged(): boolean;
  /** Switches to other files and another default profile; returns their problems. */
  follow(access: ProfilesPlace['access']): Promise<readonly Problem[]>;
  /** Called when the file changed and is valid. */
  onChange(listener: (policy: Policy) => void): () => void;
  close(): void;
}

export interface PolicyParts {
  readonly place: ProfilesPlace;
  /** The profile given at startup; also the default for principals without a profile. */
  readonly profile?: string;
  /** Whether to watch the file while the gateway runs. */
  readonly isLive: boolean;
  readonly trustFile: string;
  readonly log: (
    level: 'warn' | 'info' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

export async function openPolicy({ profile, log, ...parts }: PolicyParts): Promise<OpenPolicy> {
  let { place } = parts;
  let located = await locateProfiles(place);
  const { model } = located;
  let policy = createPolicy(located.profiles, profile);
  let running: Promise<void> = Promise.resolve();
  const listeners = new Set<(policy: Policy) => void>();
  if (!hasErrors(located.problems)) logUntrusted(located);

  function logUntrusted({ files }: LocatedProfiles): void {
    for (const { file, isTrusted } of files) {
      if (!isTrusted)
        log('warn', 'the file is not trusted: the built-in version applies instead; run `tidegate trust`', {
          file,
        });
    }
  }

  async function reload(): Promise<readonly Problem[]> {
    const next = await locateProfiles(place);
    if (next.stamp === located.stamp) return next.problems;
    if (hasErrors(next.problems)) {
      const problems = next.problems.map(describeProblem);
      log('error', 'profiles not reloaded: the file has errors', { problems });
      return next.problems;
    }
    located = next;
    policy = createPolicy(located.profiles, profile);
    log('info', 'profiles reloaded', { profiles: located.profiles.profiles.size });
    logUntrusted(located);
    for (const listener of listeners) listener(policy);
    return next.problems;
  }

  const later = (): void => {
    running = running.then(reload).then(
      () => undefined,
      (error: unknown) => log('error', 'profiles not reloaded', { error: String(error) }),
    );
  };
  const watch = (): readonly { close(): void }[] =>
    parts.isLive ? [watchProfiles({ directory: place.directory, ...filesNamed(place.access) }, later)] : [];
  let watches = watch();
  const trustWatch = parts.isLive ? watchConfig(parts.trustFile, later) : undefined;
  return {
    model,
    problems: located.problems,
    untrusted: () => located.files.flatMap(({ file, isTrusted }) => (isTrusted ? [] : [file])),
    profiles: () => located.profiles,
    warnings: (tools) => located.warnings(tools),
    current: () => policy,
    isModelChanged: () => JSON.stringify(located.model) !== JSON.stringify(model),
    async follow(access) {
      place = { ...place, access };
      for (const one of watches) one.close();
      watches = watch();
      const followed = running.then(reload);
      running = followed.then(
        () => undefined,
        () => undefined,
      );
      return followed;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const one of watches) one.close();
      trustWatch?.close();
    },
  };
}

function filesNamed({ profiles, model }: ProfilesPlace['access']): { profiles?: string; model?: string } {
  return { ...(profiles !== undefined && { profiles }), ...(model !== undefined && { model }) };
}
