import { printable } from '../../../config/index.js';
import type { Given, OptionSpec } from '../../command.js';

/** Notes about options that have no effect. */
export function unusedOptionNotes(
  { options, lists }: Given,
  specs: readonly OptionSpec[],
): readonly string[] {
  const isGiven = (name: string): boolean => options[name] !== undefined || (lists?.[name] ?? []).length > 0;
  const idle = specs.flatMap(({ name, goesWith }) =>
    goesWith !== undefined && isGiven(name) && !isGiven(goesWith)
      ? [`--${name} has no effect without --${goesWith}.`]
      : [],
  );
  return isGiven('agent') && isGiven('input')
    ? [...idle, '--input is only for workflows and has no effect with --agent.']
    : idle;
}

export function unusedProfileNote(profile: string): string {
  return `the profile ${printable(profile)} has no effect because the workflow has no agents or operations.`;
}
