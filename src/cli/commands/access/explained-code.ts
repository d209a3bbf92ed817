import type { KnownCode } from '../../../app/index.js';
import type { Context } from '../../command.js';
import { commandCodes } from '../../command-codes.js';
import { exitOf, Failure, type FailureCode } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { wrapped } from '../../terminal/wrap.js';

const fixers: Readonly<Record<NonNullable<KnownCode['fixer']>, string>> = {
  agent: 'the agent',
  operator: 'the operator',
  human: 'a person',
  us: 'the Tidegate developers',
};

/** Tells codes from principals: principals have a colon, codes have dots. */
export function isLikeCode(word: string): boolean {
  return !word.includes(':') && (word.includes('.') || word === 'internal');
}

/** Prints what a code means and what to do, from the tables that define the codes. */
export async function explainCode(word: string, { output }: Context): Promise<void> {
  const codes = await everyCode();
  const wanted = word.toLowerCase();
  const found = codes.find(({ code }) => code.toLowerCase() === wanted);
  if (found === undefined) {
    const near = didYouMean(
      word,
      codes.map(({ code }) => code),
    );
    throw new Failure('code.not_found', `Unknown code: ${word}.${near}`);
  }
  const { code, area, meaning, remedy, fixer, isRetryable, exit } = found;
  output.json({
    code,
    area,
    meaning,
    remedy,
    exit,
    ...(fixer !== undefined && { fixer, retryable: isRetryable }),
  });
  output.line(output.paint('bold', code));
  for (const line of wrapped(meaning, output.width - 2)) output.line(`  ${line}`);
  output.line();
  const next = wrapped(remedy, output.width - 8);
  for (const [at, line] of next.entries()) output.line(`${at === 0 ? 'next:  ' : '       '}${line}`);
  if (fixer !== undefined) output.line(`fixable by: ${fixers[fixer]}`);
  if (isRetryable === true) output.line('retry: the same call may succeed later');
  output.line(`exit:  ${String(exit)}`);
}

/** All codes: those of the command line and those of the modules below it. */
export async function everyCode(): Promise<readonly (KnownCode & { readonly exit: number })[]> {
  const { knownCodes } = await import('../../../app/known-codes.js');
  const below = knownCodes().map((row) => ({ ...row, exit: row.exit ?? exitOf(row.code as FailureCode) }));
  const here = Object.entries(commandCodes).map(([code, row]) => ({
    code,
    area: 'command' as const,
    ...row,
  }));
  return [...below, ...here];
}
