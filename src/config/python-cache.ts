import { basename } from 'node:path';

export function isPython(program: string): boolean {
  return /^(?:python|pypy)[\d.]*(?:\.exe)?$/.test(basename(program));
}

/** With `-E` or `-I`, Python ignores environment variables, so the cache folder must be an argument. */
export function withPythonCache(command: string, args: readonly string[], folder: string): readonly string[] {
  const own = args.slice(0, args.findIndex((arg) => !arg.startsWith('-')) >>> 0);
  const isDeaf = own.some((arg) => /^-[A-Za-z]*[EI]/.test(arg) && !/^-[XWmc]/.test(arg));
  return isPython(command) && isDeaf ? ['-X', `pycache_prefix=${folder}`, ...args] : args;
}
