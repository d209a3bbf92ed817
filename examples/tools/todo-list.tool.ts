import { defineTool, ToolFailure, z } from 'tidegate/tool';

export default defineTool({
  name: 'todo_list',
  title: 'To-do list',
  description: 'Lists the open tasks in a Markdown file: the lines that start with "- [ ]".',
  effect: 'read',
  needs: ['files'],
  input: z.object({
    file_path: z.string().describe('Path of the Markdown file, relative to the workspace.'),
  }),
  output: z.object({
    open: z
      .array(
        z.object({
          line: z.int().describe('Line number of the task.'),
          text: z.string().describe('Text of the task.'),
        }),
      )
      .describe('Open tasks, in file order.'),
  }),
  aliases: { file_path: ['path'] },
  async run({ file_path }, { ports }) {
    const page = await ports.files.read(file_path);
    if (page.kind !== 'text') {
      throw new ToolFailure('unsupported', `${file_path} is not a text file.`, {
        reason: 'not_a_text',
        suggestion: 'Pass a Markdown file.',
      });
    }
    const open = page.lines.flatMap(({ number, text }) => {
      const found = /^\s*- \[ \] (.*)$/.exec(text)?.[1];
      return found === undefined ? [] : [{ line: number, text: found }];
    });
    return { data: { open }, text: open.map((point) => `${point.line}: ${point.text}`).join('\n') };
  },
});
