import type { Environment } from './substitute.js';

const posixBase = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TERM',
  'TMPDIR',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

// Without SYSTEMROOT and its like, most Windows programs do not start.
const windowsBase = [
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROCESSOR_ARCHITECTURE',
  'NUMBER_OF_PROCESSORS',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

/** The whole environment of a child: a fixed base from ours, and what the file names. Nothing else of ours leaks. */
export function childEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  if (platform === 'win32') return windowsEnvironment(own, configured);
  const base = posixBase.flatMap((name) => entryOf(own, name));
  return Object.fromEntries([...base, ...Object.entries(configured)]);
}

// Windows does not tell `Path` from `PATH`: a child must not get both.
function windowsEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(configured).map((name) => name.toUpperCase()));
  const wanted = new Set<string>(windowsBase.filter((name) => !taken.has(name)));
  const base = Object.keys(own).filter((name) => wanted.delete(name.toUpperCase()));
  return Object.fromEntries([...base.flatMap((name) => entryOf(own, name)), ...Object.entries(configured)]);
}

// A value that starts like a shell function is code, not a value.
function entryOf(own: Environment, name: string): (readonly [string, string])[] {
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  return value === undefined || value.startsWith('()') ? [] : [[name, value]];
}
