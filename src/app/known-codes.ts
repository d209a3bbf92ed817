import { adminCodes } from '../access/admin/index.js';
import { identityCodes } from '../access/tokens/index.js';
import { modelCodes } from '../access/model-codes.js';
import { problemCodes } from '../config/index.js';
import { type Fixer, faultTable } from '../core/index.js';
import { httpCodes } from '../transports/http/http-codes.js';
import { exitOfCode, type WorkflowCode, workflowCodes } from '../workflow/index.js';

export type { HttpCode } from '../transports/http/index.js';

/** An error code with its explanation. */
export interface KnownCode {
  readonly code: string;
  /** The part of Tidegate that uses the code. */
  readonly area: 'call' | 'configuration' | 'rights' | 'model' | 'token' | 'http' | 'workflow' | 'command';
  readonly meaning: string;
  readonly remedy: string;
  readonly fixer?: Fixer;
  readonly isRetryable?: boolean;
  /** Exit status of a run that ends with it; for other areas the CLI decides. */
  readonly exit?: number;
}

type Table = Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;

/** Every error code of the other modules, from the tables that define them. */
export function knownCodes(): readonly KnownCode[] {
  const calls = Object.entries(faultTable).map(([code, { fixer, retryable, meaning, remedy }]) => ({
    code,
    area: 'call' as const,
    meaning,
    remedy,
    fixer,
    isRetryable: retryable,
  }));
  return [
    ...calls,
    ...rows('configuration', problemCodes),
    ...rows('rights', adminCodes),
    ...rows('model', modelCodes),
    ...rows('token', identityCodes),
    ...rows('http', httpCodes),
    ...rows('workflow', workflowCodes).map((row) => ({ ...row, exit: exitOfCode(row.code as WorkflowCode) })),
  ];
}

function rows(area: KnownCode['area'], table: Table): readonly KnownCode[] {
  return Object.entries(table).map(([code, { meaning, remedy }]) => ({ code, area, meaning, remedy }));
}
