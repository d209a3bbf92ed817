import { type FailureFacts, ToolFailure } from '../../core/index.js';
import type { FileChange, TextEdit, WriteOptions } from '../../ports/files.js';
import { commit } from './commit.js';
import type { FileContext } from './file-service.js';
import { type EditProblem, editText } from './edit-text.js';
import { encode, isWide, type Stored, toStored } from './encoding.js';
import { cancelled, changedSinceRead, notEncodable, notFound, tooLarge } from './failures.js';
import { isAsKnown } from './known.js';
import { shown } from './names.js';
import { natureOf } from './sniff.js';
import { type Current, readCurrent, refuseReadOnly, type Spot, withSpot } from './spot.js';
import { createTurns } from './turns.js';
import { maxWhole } from './write-file.js';

/** Applies all edits in order and writes the result, or changes nothing. */
export async function editFile(
  given: string,
  edits: readonly TextEdit[],
  options: WriteOptions,
  context: FileContext,
): Promise<FileChange> {
  const [first] = edits;
  if (first === undefined) throw refusal(given, 'there are no edits', { reason: 'no_edits' });
  // The only edit possible without a file: from nothing to a text.
  const mayCreate = edits.length === 1 && first.oldText === '';
  return await withSpot({ given, mayCreate }, context, async (spot) => {
    const current = await readCurrent(spot, context, maxWhole);
    if (current === undefined && !mayCreate) throw notFound(given);
    const before = current ? await editable(spot, current, context) : toStored(Buffer.alloc(0));
    const { after, replacements } =
      mayCreate && before.units === ''
        ? filled(before, first, given)
        : await editAll(before, edits, given, options);
    return await commit({ spot, ...(current && { current }), after, replacements, options }, context);
  });
}

/** A file that this session has read must be unchanged since. For any other file, the old text is the check. */
async function editable(
  spot: Spot,
  { bytes, stats, knowledge }: Current,
  { known, session }: FileContext,
): Promise<Stored> {
  const { given, path } = spot;
  const seen = known.recall(session, path);
  if (seen !== undefined && !isAsKnown(seen, knowledge)) throw changedSinceRead(given);
  if (bytes === undefined) throw tooLarge(given, Number(stats.size), maxWhole);
  await refuseReadOnly(spot);
  const stored = toStored(bytes);
  if (natureOf(bytes, isWide(stored.encoding)).kind !== 'text') {
    const suggestion = 'Change it with a program that supports its format.';
    throw new ToolFailure('unsupported', `${shown(given)} is not a text file.`, {
      reason: 'not_text',
      suggestion,
    });
  }
  return stored;
}

interface Outcome {
  readonly after: Stored;
  readonly replacements: number;
}

function filled(before: Stored, { newText }: TextEdit, given: string): Outcome {
  const units = encode(newText, before.encoding);
  if (units === undefined) throw notEncodable(given, before.encoding);
  if (units === '') throw refusal(given, 'the new text is empty', { reason: 'same_text' });
  return { after: { ...before, units }, replacements: 1 };
}

async function editAll(
  before: Stored,
  edits: readonly TextEdit[],
  given: string,
  { signal }: WriteOptions,
): Promise<Outcome> {
  const turns = createTurns();
  const pause = (): Promise<void> | undefined => {
    if (signal?.aborted === true) throw cancelled();
    return turns.pause();
  };
  const limits = { maxLength: isWide(before.encoding) ? maxWhole / 2 : maxWhole, pause };
  let after = before;
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    await pause();
    const edited = await editText(after.units, edit, after.encoding, limits);
    if ('problem' in edited) {
      throw failureOf(edited, {
        given,
        which: edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : '',
        edit,
      });
    }
    after = { ...after, units: edited.units };
    replacements += edited.replacements;
  }
  return { after, replacements };
}

interface Circumstances {
  readonly given: string;
  readonly which: string;
  readonly edit: TextEdit;
}

function failureOf(problem: EditProblem, { given, which, edit }: Circumstances): ToolFailure {
  const name = shown(given);
  switch (problem.problem) {
    case 'same':
      return refusal(given, `${which}the new text is the same as the old one`, { reason: 'same_text' });
    case 'empty':
      return refusal(given, `${which}the old text is empty, but the file is not`, {
        reason: 'empty_old_text',
        suggestion: 'Pass the text to replace, or use Write to replace the whole file.',
      });
    case 'not_encodable':
      return notEncodable(given, 'the encoding used at this place');
    case 'too_long':
      return tooLarge(`${given} as edited`, problem.length, maxWhole);
    case 'absent': {
      const { nearLines } = problem;
      const near =
        nearLines.length > 0 ? ` Its first line also appears at line ${nearLines.join(', ')}.` : '';
      return new ToolFailure(
        'bad_state',
        `${which}The old text was not found in ${name}; nothing was changed.${near}`,
        {
          reason: 'no_match',
          details: { matches: 0, near_lines: nearLines },
          suggestion: hasLineNumbers(edit.oldText)
            ? 'Leave out the line numbers and the tab after them: they are not part of the file.'
            : 'Read the file and copy the old text exactly, with its spaces.',
        },
      );
    }
    case 'ambiguous': {
      const { count, lines } = problem;
      const where = `${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
      const message = `${which}The old text occurs ${count} times in ${name} (lines ${where}); nothing was changed.`;
      return new ToolFailure('bad_state', message, {
        reason: 'many_matches',
        details: { matches: count, lines },
        suggestion: 'Include surrounding lines to make it unique, or set replace_all.',
      });
    }
  }
}

function hasLineNumbers(text: string): boolean {
  return text.split('\n').every((line) => /^\s*\d+\t/.test(line));
}

function refusal(given: string, why: string, facts: FailureFacts): ToolFailure {
  return new ToolFailure('bad_state', `Nothing was changed in ${shown(given)}: ${why}.`, facts);
}
