import { resolve } from 'node:path';
import { type Environment, openTrust, stateDirectory, type Trust } from '../../config/index.js';
import { governingConfig } from '../../workspace/governing-config.js';
import { type Located, locateConfig } from '../../workspace/locate-config.js';
import { type HomeView, lookAtHome } from './home-view.js';

export interface ScenePlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly configFile?: string;
  readonly signal: AbortSignal;
  /** The command that moves plain-text values of client files into the secrets file; undefined if there are none. */
  readonly storeSecretsCommand: (
    place: SecretsPlace,
    names: readonly string[],
  ) => Promise<string | undefined>;
}

export interface SecretsPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** The configuration file that refers to the values. */
  readonly file: string;
}

/** The context of all checks. Creates nothing, and reads shared data only once. */
export interface Scene extends ScenePlace {
  /** The user's state directory. */
  readonly home: string;
  readonly trust: Trust;
  view(): HomeView;
  /** Why the state directory must not be read; undefined if it can be. */
  obstacle(): string | undefined;
  /** The configuration of this folder. Undefined if it cannot be located. */
  located(): Promise<Located | undefined>;
  /** The workspace roots as the gateway would use them; an untrusted file is ignored. */
  roots(): Promise<readonly string[]>;
}

export function openScene(place: ScenePlace): Scene {
  const home = resolve(stateDirectory(place.env));
  const trust = openTrust(home);
  let view: HomeView | undefined;
  let locating: Promise<Located | undefined> | undefined;
  const look = (): HomeView => (view ??= lookAtHome(home));
  const trustNow = (): Trust => (look().obstacle === undefined ? trust : distrust);
  const located = (): Promise<Located | undefined> => (locating ??= locateConfig(place, trustNow()));
  return {
    ...place,
    home,
    trust,
    view: look,
    obstacle: () => look().obstacle,
    located,
    async roots() {
      return (await governingConfig(place, trustNow())).config.workspace.roots;
    },
  };
}

/** If the trust record cannot be read, nothing is trusted. */
const distrust: Trust = {
  isTrusted: () => false,
  record: () => undefined,
  content: () => undefined,
  forget: () => undefined,
  list: () => [],
  problem: () => undefined,
};
