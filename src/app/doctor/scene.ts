import { resolve } from 'node:path';
import { type Environment, openTrust, stateDirectory, type Trust } from '../../config/index.js';
import { type Located, locateConfig } from '../locate-config.js';
import { type HomeView, lookAtHome } from './home-view.js';

export interface ScenePlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly configFile?: string;
  readonly signal: AbortSignal;
}

/** What checks look at. Nothing is made, and what several need is read once. */
export interface Scene extends ScenePlace {
  /** The state directory of this user. */
  readonly home: string;
  readonly trust: Trust;
  view(): HomeView;
  /** Why nothing that stands in the state directory may be read now; undefined when it may. */
  obstacle(): string | undefined;
  /** The configuration of this place. Undefined when it cannot be looked for. */
  located(): Promise<Located | undefined>;
  /** The folders that agents work in, as a gate takes them: of a file that nobody trusted, nothing is used. */
  roots(): Promise<readonly string[]>;
}

export function openScene(place: ScenePlace): Scene {
  const home = resolve(stateDirectory(place.env));
  const trust = openTrust(home);
  let view: HomeView | undefined;
  let locating: Promise<Located | undefined> | undefined;
  const look = (): HomeView => (view ??= lookAtHome(home));
  const located = (): Promise<Located | undefined> =>
    (locating ??= locateConfig(place, look().obstacle === undefined ? trust : distrust));
  return {
    ...place,
    home,
    trust,
    view: look,
    obstacle: () => look().obstacle,
    located,
    async roots() {
      const found = await located();
      return found?.isTrusted === true ? found.config.workspace.roots : [place.cwd];
    },
  };
}

/** Where the record of trust cannot be read, nothing is trusted. */
const distrust: Trust = {
  isTrusted: () => false,
  record: () => undefined,
  forget: () => undefined,
  list: () => [],
  problem: () => undefined,
};
