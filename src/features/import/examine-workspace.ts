import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { projectFolders } from '../../workspace/project-folders.js';

const mostNames = 10_000;

/** What the file names say about a folder. */
export interface Workspace {
  readonly folder: string;
  /** The repository root, if any. */
  readonly repository?: string;
  readonly languages: readonly string[];
}

const markers: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/^tsconfig.*\.json$/, 'TypeScript'],
  [/^package\.json$/, 'JavaScript'],
  [/^(?:pyproject\.toml|requirements.*\.txt|setup\.py|uv\.lock)$/, 'Python'],
  [/^go\.mod$/, 'Go'],
  [/^Cargo\.toml$/, 'Rust'],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, 'Java or Kotlin'],
  [/\.(?:csproj|sln|slnx)$/, 'C#'],
  [/^Gemfile$/, 'Ruby'],
  [/^composer\.json$/, 'PHP'],
  [/^(?:CMakeLists\.txt|Makefile)$/, 'C or C++'],
  [/^Package\.swift$/, 'Swift'],
  [/^mix\.exs$/, 'Elixir'],
];

/** Reads only file names, in this folder and at the repository root. */
export function examineWorkspace(cwd: string, home: string): Workspace {
  const root = projectFolders(cwd, home).at(-1) ?? cwd;
  const names = [...new Set([cwd, root].flatMap((folder) => namesIn(folder).slice(0, mostNames)))];
  const languages = markers
    .filter(([pattern]) => names.some((name) => pattern.test(name)))
    .map(([, language]) => language);
  return {
    folder: cwd,
    ...(existsSync(join(root, '.git')) && { repository: root }),
    languages: languages.includes('TypeScript') ? languages.filter((one) => one !== 'JavaScript') : languages,
  };
}
