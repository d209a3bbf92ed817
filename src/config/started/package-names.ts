import { statsOf } from './stats-of.js';
import { readRegularText } from './workspace-paths.js';

type Content = Readonly<Record<string, unknown>>;

/** Everything that a `package.json` refers to: paths in its folder, with or without `./`, and packages. */
export function targetsOf(file: string): readonly string[] {
  const { main, module, bin, exports, imports } = contentOf(file);
  return textsIn([main, module, bin, exports, imports]);
}

function nameIn(file: string): string | undefined {
  const { name } = contentOf(file);
  return typeof name === 'string' ? name : undefined;
}

/** The fields that decide how files below are loaded and what `#` names resolve to. */
export function scopeOf(file: string): string {
  const { type, name, exports, imports } = contentOf(file);
  return JSON.stringify([type, name, exports, imports]);
}

function contentOf(file: string): Content {
  try {
    if (statsOf(file)?.isFile() !== true) return {};
    const content: unknown = JSON.parse(readRegularText(file));
    return typeof content === 'object' && content !== null ? (content as Content) : {};
  } catch {
    // An interpreter could not read it either.
    return {};
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** `nameIn`, which reads each file once. */
export function createPackageNames(): (file: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (file) => {
    if (!known.has(file)) known.set(file, nameIn(file));
    return known.get(file);
  };
}
