import { ToolFailure } from '../../core/index.js';

const maxShown = 200;

/** The caller's text for messages: bounded, and without terminal control characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}

export function badGlob(pattern: string, problem: string): ToolFailure {
  return new ToolFailure(
    'unsupported',
    `The glob ${quoted(pattern)} ${problem}; correct it and call again.`,
    {
      reason: 'invalid_glob',
      suggestion: 'Use **, *, ?, [a-z] and {a,b}; escape literal characters with a backslash.',
    },
  );
}

/** The same message whether the path exists or not, so that it reveals nothing. */
export function outside(path: string, root: string): ToolFailure {
  return new ToolFailure('refused', `${quoted(path)} is outside the workspace; give a path inside ${root}.`, {
    reason: 'outside_workspace',
    suggestion: 'Give a path inside the workspace, relative to its first root.',
  });
}

export function noSuchPlace(path: string): ToolFailure {
  return new ToolFailure('not_found', `${quoted(path)} does not exist; find the right path first.`, {
    reason: 'no_such_path',
    suggestion: 'Call Glob to see which files exist; paths are relative to the first workspace root.',
  });
}

export function notReadable(path: string): ToolFailure {
  return new ToolFailure('refused', `${quoted(path)} may not be read. Choose another path.`, {
    reason: 'no_permission',
  });
}

export function wrongKind(path: string, wanted: string): ToolFailure {
  return new ToolFailure('unsupported', `${quoted(path)} is not ${wanted}; choose another path.`, {
    reason: 'wrong_kind',
  });
}
