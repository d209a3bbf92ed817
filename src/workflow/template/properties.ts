/** Properties of each namespace, with a sentence for the reference. `inputs` and `env` have no fixed properties. */
export const properties: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  states: {
    Output: 'Output of a command or answer of an agent; for other steps, `Response` as JSON.',
    Stderr: 'Standard error of a command.',
    ExitCode: 'Exit code of a command; for other steps, 0 after success and 1 after failure.',
    Status: '`completed`, `failed` or `cancelled`.',
    Response:
      'Mapping with the result of an operation or a called workflow; for `parallel`, the status of each branch. Empty for commands.',
    JSON: 'Parsed answer of an agent with `output_format: json`.',
    TokensUsed: 'Tokens an agent used, input and output together.',
    TokensInput: 'Tokens sent to the model.',
    TokensOutput: 'Tokens received from the model.',
    TokensEstimated: 'Whether the token counts are estimates, because the model reported none.',
  },
  workflow: {
    ID: 'ID of the run.',
    Name: 'Name of the workflow.',
    CurrentState: 'Name of the current state.',
    StartedAt: 'Start time of the run.',
    Duration: 'Elapsed time of the run, such as `1.250s`.',
  },
  loop: {
    Item: 'Current item.',
    Index: 'Iteration index, starting at 0.',
    Index1: 'Iteration number, starting at 1.',
    First: 'Whether this is the first iteration.',
    Last: 'Whether this is the last iteration, if known.',
    Length: 'Number of iterations; -1 if unknown.',
    Parent: 'The outer loop.',
  },
  error: {
    Message: 'Error message.',
    State: 'State that failed.',
    ExitCode: 'Exit code of that state.',
    Type: 'Error code.',
  },
  context: {
    WorkingDir: 'Working directory of the run.',
    User: 'User who runs the workflow.',
    Hostname: 'Name of the machine.',
  },
};
