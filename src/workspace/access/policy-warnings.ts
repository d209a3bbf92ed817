import type { ToolSpec } from '../../core/index.js';
import { describeProblem } from '../../config/index.js';
import type { OpenedAccess } from './open-access.js';

export interface PolicyWarningParts {
  readonly opened: Pick<OpenedAccess, 'whenRights'>;
  readonly tools: () => readonly ToolSpec[];
  /** Resolves when unknown servers have listed their tools. */
  readonly listed: () => Promise<void>;
  readonly log: (level: 'warn', message: string) => void;
}

/** Logs profile entries that match no tool, at startup and after the file changed. */
export async function logPolicyWarnings({ opened, tools, listed, log }: PolicyWarningParts): Promise<void> {
  const { policy } = await opened.whenRights;
  const logWarnings = (): void => {
    for (const problem of policy.warnings(tools())) log('warn', describeProblem(problem));
  };
  policy.onChange(logWarnings);
  await listed();
  logWarnings();
}
