import { nearest } from '../nearest.js';
import { kindOf, type Path, type ScalarNode, type ScalarValue, type TreeNode } from '../tree.js';
import type { Reading } from './field.js';

/** What one kind of file decides for all its tables. */
export interface Language<C extends string> {
  readonly codes: Codes<C>;
  readonly formats: Readonly<Record<string, FormatCheck>>;
  readonly nameRules: Readonly<Record<string, NameRule>>;
  /** The default for records that don't set it. */
  readonly unknownKeys: 'refuse' | 'warn';
  /** An empty value in a list or map is probably a mistake, but some formats use it as null. */
  readonly emptyEntries: 'refuse' | 'keep';
  readonly reading: Reading;
}

/** The error code for each problem that the reader can find. */
export interface Codes<C extends string> {
  readonly unknownKey: Readonly<Record<'refuse' | 'warn', C>>;
  readonly missing: C;
  readonly exclusive: C;
  readonly wrongType: C;
  readonly badValue: C;
  readonly badName: C;
  readonly unsupported: C;
}

/** Checks a text after its references are replaced. */
export type FormatCheck = (text: string) => Flaw | undefined;

/** What is wrong with a text, as the end of the sentence "The value …", and how to fix it. */
export interface Flaw {
  readonly says: string;
  readonly remedy?: string;
}

export interface NameRule {
  /** Also for the JSON Schema. */
  readonly pattern: string;
  readonly remedy: string;
}

/** A problem, with its offset in the text. */
export interface TableFinding<C extends string> {
  readonly code: C;
  readonly message: string;
  readonly offset: number;
  readonly path: Path;
  readonly remedy?: string;
}

/** A value in the file and its path from the root. */
export interface Place<N extends TreeNode = TreeNode> {
  readonly node: N;
  readonly path: Path;
}

/** A scalar from the file with its references replaced. */
export interface Scalar {
  readonly value: ScalarValue;
  /** The text in the file, with references unresolved, so it is safe to repeat in a message. */
  readonly source: string;
  /** A text that came from a reference may represent a number or boolean. */
  readonly isReference: boolean;
  /** Returned for a text instead of `value`, once `value` has been checked. */
  readonly kept?: string;
}

/** A text that needs more checks after the whole file has been read. */
export interface HeldText {
  readonly holds: string;
  readonly text: string;
  readonly offset: number;
  readonly path: Path;
}

export interface ReadContext<C extends string> {
  readonly language: Language<C>;
  readonly report: (finding: TableFinding<C>) => void;
  /** Replaces references. Reports a problem and returns undefined if it can't. Default: no references. */
  readonly resolve?: (place: Place<ScalarNode>) => Scalar | undefined;
  readonly note?: (text: HeldText) => void;
  /** The context for a node that may come from another file. */
  readonly inside?: (node: TreeNode) => ReadContext<C>;
}

export function reportWrongType<C extends string>(
  wanted: string,
  { node, path }: Place,
  { language, report }: ReadContext<C>,
): undefined {
  const message = `The value must be ${wanted}, but is ${kindOf(node)}.`;
  report({ code: language.codes.wrongType, offset: node.start, path, message });
}

/** A remedy that suggests the closest known word, if one is close enough. */
export function suggestion(word: string, known: readonly string[]): { readonly remedy?: string } {
  const near = nearest(
    word,
    known.filter((one) => one !== ''),
  );
  return near === undefined ? {} : { remedy: `Did you mean \`${near}\`?` };
}

/** The message and remedy for a required key that is missing. */
export function missingKey(key: string): { readonly message: string; readonly remedy: string } {
  return { message: `The required key ${key} is missing.`, remedy: `Add ${key}.` };
}
