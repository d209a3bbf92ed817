import type { Environment } from '../../config/index.js';

/** The minimum an agent needs to start, without the user's keys and settings. */
const kept = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'SYSTEMROOT',
  'ComSpec',
  'PATHEXT',
];

/** An environment with an empty home. */
export function bareEnvironment(env: Environment, home: string): Readonly<Record<string, string>> {
  const own = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), HOME: home, USERPROFILE: home, TERM: 'dumb' };
}
