/** What each namespace has, with a sentence for the reference. `inputs` and `env` have what they are given. */
export const properties: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  states: {
    Output: 'What a command wrote, what an agent answered; of others their `Response` as JSON.',
    Stderr: 'What a command wrote to standard error.',
    ExitCode: 'The exit status of a command; of others 0 after success, 1 after failure.',
    Status: '`completed`, `failed` or `cancelled`.',
    Response:
      'A mapping: what an operation or a called workflow gave, of `parallel` how each branch ended. Empty for commands.',
    JSON: 'The answer of an agent with `output_format: json`, read as JSON.',
    TokensUsed: 'Tokens that an agent used, both ways.',
    TokensInput: 'Tokens that were sent to the model.',
    TokensOutput: 'Tokens that the model gave.',
    TokensEstimated: 'Whether these were counted here, because the model did not say.',
  },
  workflow: {
    ID: 'Of the run.',
    Name: 'Of the workflow.',
    CurrentState: 'The state whose text this is.',
    StartedAt: 'When the run began.',
    Duration: 'How long it has run, such as `1.250s`.',
  },
  loop: {
    Item: 'The item of this round.',
    Index: 'Which round, counted from 0.',
    Index1: 'The same, counted from 1.',
    First: 'Whether it is the first.',
    Last: 'Whether it is the last, where that is known.',
    Length: 'How many rounds there are; -1 where nobody knows.',
    Parent: 'The round of the loop around this one.',
  },
  error: {
    Message: 'Why the run failed.',
    State: 'The state that failed.',
    ExitCode: 'Its exit status.',
    Type: 'The code.',
  },
  context: {
    WorkingDir: 'The folder of the run.',
    User: 'Who runs it.',
    Hostname: 'On which machine.',
  },
};
