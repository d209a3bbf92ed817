import type { ToolSpec } from '../kernel/index.js';
import { describeProblem } from '../config/index.js';
import type { OpenedAccess } from './open-access.js';

export interface PolicyWarningParts {
  readonly opened: Pick<OpenedAccess, 'whenRights'>;
  readonly tools: () => readonly ToolSpec[];
  /** Resolves when servers that nobody knew were heard. */
  readonly listed: () => Promise<void>;
  readonly log: (level: 'warn', message: string) => void;
}

/** Tells the log of a running gate which entries of the profiles fit no tool: at its start, and after the file changed. */
export async function tellPolicyWarnings({ opened, tools, listed, log }: PolicyWarningParts): Promise<void> {
  const { policy } = await opened.whenRights;
  const tell = (): void => {
    for (const problem of policy.warnings(tools())) log('warn', describeProblem(problem));
  };
  policy.onChange(tell);
  await listed();
  tell();
}
