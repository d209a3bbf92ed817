/** What the inspector is asked to do, and what must come of it. `code` is its exit code. */
const text = (answer) => answer.result.content[0].text;

export const cases = [
  {
    name: 'tools/list',
    method: 'tools/list',
    expect: ({ result }) => result.tools.length > 20 && result.tools[0].name === 'test_simple_text',
  },
  {
    name: 'tools/call',
    method: 'tools/call',
    more: ['--tool-name', 'test_simple_text'],
    expect: (answer) => text(answer) === 'This is a simple text response for testing.',
  },
  {
    name: 'tools/call with an image',
    method: 'tools/call',
    more: ['--tool-name', 'test_image_content'],
    expect: ({ result }) => result.content[0].mimeType === 'image/png',
  },
  {
    name: 'tools/call with several blocks',
    method: 'tools/call',
    more: ['--tool-name', 'test_multiple_content_types'],
    expect: ({ result }) => result.content.length === 3,
  },
  {
    name: 'tools/call of a tool that says it failed',
    method: 'tools/call',
    more: ['--tool-name', 'test_error_handling'],
    code: 5,
    expect: ({ result, error }) => result.isError === true && error.code === 'tool_is_error',
  },
  {
    name: 'tools/call of no tool',
    method: 'tools/call',
    more: ['--tool-name', 'no_such_tool'],
    code: 5,
    expect: ({ error }) => error.code === 'tool_not_found',
  },
  {
    name: 'one tool, many times',
    method: 'tools/call',
    more: ['--tool-name', 'test_simple_text', '--load', '--load-requests', '100'],
    expect: ({ result }) => result.ok === 100 && result.errors === 0 && result.toolErrors === 0,
  },
  {
    name: 'resources/list',
    method: 'resources/list',
    expect: ({ result }) => result.resources.some(({ uri }) => uri === 'test://static-text'),
  },
  {
    name: 'resources/read',
    method: 'resources/read',
    more: ['--uri', 'test://static-text'],
    expect: ({ result }) => result.contents[0].text === 'This is the content of the static text resource.',
  },
  {
    name: 'resources/read from a template',
    method: 'resources/read',
    more: ['--uri', 'test://template/123/data'],
    expect: ({ result }) => JSON.parse(result.contents[0].text).id === '123',
  },
  {
    name: 'resources/templates/list',
    method: 'resources/templates/list',
    expect: ({ result }) => result.resourceTemplates[0].uriTemplate === 'test://template/{id}/data',
  },
  {
    name: 'prompts/list',
    method: 'prompts/list',
    expect: ({ result }) => result.prompts.some(({ name }) => name === 'test_simple_prompt'),
  },
  {
    name: 'prompts/get',
    method: 'prompts/get',
    more: ['--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=a', 'arg2=b'],
    expect: ({ result }) => result.messages[0].content.text === "Prompt with arguments: arg1='a', arg2='b'",
  },
  {
    name: 'logging/setLevel',
    method: 'logging/setLevel',
    more: ['--log-level', 'debug'],
    eras: ['legacy'],
    expect: ({ result }) => Object.keys(result).length === 0,
  },
  {
    name: 'is told to bring one',
    isStranger: true,
    method: 'tools/list',
    code: 3,
    expect: ({ error }) => error.code === 'auth_required',
  },
];
