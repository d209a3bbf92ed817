import { exitCodes } from '../../exit-codes.js';

/** Errors of workflows and runs. */
export const runCodes = {
  'run.not_found': {
    exit: exitCodes.internal,
    meaning: 'Unknown run.',
    remedy: 'List the runs: `tidegate runs list`.',
  },
  'run.broken': {
    exit: exitCodes.internal,
    meaning: 'The record of the run is damaged or has been changed.',
    remedy: 'Start the workflow again with `tidegate run`. Steps that already ran are not undone.',
  },
  'run.revoked': {
    exit: exitCodes.usage,
    meaning: "An agent started the run, and the agent's grant for `execute_workflow` has since been revoked.",
    remedy: 'Grant it again, or resume with your own rights: `tidegate run --resume <run> --take-over`.',
  },
  'run.untrusted': {
    exit: exitCodes.untrusted,
    meaning: 'An agent started the run, and the current content of the workflow files is not trusted.',
    remedy: 'Review the changes, then trust the workflow again: `tidegate trust <file>`.',
  },
  'run.busy': {
    exit: exitCodes.usage,
    meaning: 'Another process is already executing this run.',
    remedy: 'Wait until that process finishes, or stop it.',
  },
  'workflow.invalid': {
    exit: exitCodes.usage,
    meaning: 'The workflow has errors, so nothing was started.',
    remedy: 'Fix the reported problems, then run `tidegate validate <file>`.',
  },
  'workflow.inputs': {
    exit: exitCodes.internal,
    meaning: 'Workflow inputs are missing or invalid.',
    remedy: 'Pass each input named in the message with `-i name=value`.',
  },
  'workflow.no_step': {
    exit: exitCodes.internal,
    meaning: 'Unknown step.',
    remedy: 'To see the step names, run `tidegate run <file> --dry-run`.',
  },
  'workflow.not_found': {
    exit: exitCodes.internal,
    meaning: 'Unknown workflow.',
    remedy: 'Check the name or path. Names are looked up in `.tidegate/workflows`.',
  },
} as const;
