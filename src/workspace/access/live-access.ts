import { type Access, createLateAccess, type LateAccess } from '../../access/index.js';
import type { StoreError } from '../../access/ports/index.js';
import { type Config, describeProblem, hasErrors, isLoopbackHost, type Problem } from '../../config/index.js';
import type { Rights, RightsParts } from './open-rights.js';

export interface LiveAccessParts {
  /** The configuration at startup. */
  readonly first: Config;
  readonly access: LateAccess;
  /** Undefined until a caller other than the operator connects. */
  readonly rights: () => Rights | undefined;
  readonly log: RightsParts['log'];
}

/** Applies configuration changes that affect access. */
export interface LiveAccess {
  /** The configuration to open rights with. */
  readonly config: () => Config;
  /** Requiring tokens applies immediately; dropping the requirement needs a restart. */
  readonly auth: () => Config['http']['auth'];
  /** Only the operator has access until the gateway is restarted or the change is undone. */
  readonly isClosed: () => boolean;
  apply(next: Config): Promise<void>;
  /** Call it if the file changed while the rights were being opened. */
  reapply(): Promise<void>;
  /** Chooses the authorizer again, after rights were opened or a new policy was read. */
  settle(): void;
  /** Why the store cannot be written; undefined once it can. Until then only the operator has access. */
  setWritable(reason: StoreError | undefined): void;
}

/**
 * Profiles and the default profile apply immediately. Changes that a running gateway cannot apply (zone, store, model, a
 * policy with errors) close access, because the old rights may be wider than the new ones.
 */
export function createLiveAccess({ first, access, rights, log }: LiveAccessParts): LiveAccess {
  let current = first;
  let usable = first;
  let problems: readonly Problem[] = [];
  let closedBy: readonly string[] = [];
  let unwritable: StoreError | undefined;
  const operatorOnly = createLateAccess();
  let used: Access = operatorOnly;

  function settle(): void {
    const opened = rights();
    const keys = [
      ...keysForRestart(first, current),
      ...(opened?.policy.isModelChanged() === true ? ['access.model'] : []),
    ];
    const isBroken = hasErrors(problems);
    const next = isBroken ? [...keys, 'access'] : keys;
    if (next.join() !== closedBy.join()) logState(keys, isBroken);
    closedBy = next;
    useAccess(isClosed() ? operatorOnly : (opened?.authorizer ?? operatorOnly));
  }

  function isClosed(): boolean {
    return closedBy.length > 0 || unwritable !== undefined;
  }

  async function apply(next: Config): Promise<void> {
    current = next;
    // A new zone or store needs a restart.
    usable = { ...first, access: { ...next.access, zone: first.access.zone } };
    // Switch before reading the files, so that no call is checked against outdated rights.
    settle();
    problems = (await rights()?.policy.follow(next.access)) ?? [];
    settle();
  }

  function useAccess(next: Access): void {
    if (next === used) return;
    used = next;
    access.judgeBy(next);
  }

  function logState(keys: readonly string[], isBroken: boolean): void {
    if (keys.length > 0)
      log('error', 'restart Tidegate to apply these keys; until then only the operator has access', { keys });
    if (isBroken)
      log('error', 'the access settings have errors; until they are fixed only the operator has access', {
        problems: problems.map(describeProblem),
      });
    if (keys.length === 0 && !isBroken) log('info', 'access has been restored');
  }

  return {
    config: () => usable,
    auth: () => (first.http.auth === 'none' && current.http.auth === 'none' ? 'none' : 'token'),
    isClosed,
    apply,
    reapply: () => apply(current),
    settle() {
      problems = [];
      settle();
    },
    setWritable(reason) {
      unwritable = reason;
      if (reason === undefined) log('info', 'the store is writable again, so access has been restored');
      else
        log(
          'error',
          'the store is not writable, so access could not be revoked: only the operator has access',
          {
            code: reason.code,
            message: reason.message,
          },
        );
      settle();
    },
  };
}

function keysForRestart(first: Config, next: Config): readonly string[] {
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const isNarrowed = !isLoopbackHost(first.http.host) && isLoopbackHost(next.http.host);
  return [
    ...(first.access.zone === next.access.zone ? [] : ['access.zone']),
    ...(differs(first.store, next.store) ? ['store'] : []),
    ...(isNarrowed ? ['http.host'] : []),
  ];
}
