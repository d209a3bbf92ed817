import { describe, expect, it } from 'vitest';
import type { FileChange, FilePage, Files } from '../../ports/files.js';
import { cardOf, createQuietExchange, type Session } from '../../core/index.js';
import type { ToolContext, ToolModule } from '../../ports/tool-module.js';
import editTool from './edit.tool.js';
import readTool from './read.tool.js';
import writeTool from './write.tool.js';

const session: Session = {
  id: 's',
  principal: { kind: 'user', id: 'u', zone: 'local' },
  scope: 'connection',
};

function call(tool: ToolModule, input: unknown, files: Partial<Files>): unknown {
  const ports = { files } as ToolContext<'files'>['ports'];
  const context = { exchange: createQuietExchange(new AbortController().signal), session, ports };
  return tool.run(input as never, context as never);
}

const page = (more: Partial<FilePage> = {}): FilePage =>
  ({
    kind: 'text',
    path: 'a.txt',
    bytes: 20,
    encoding: 'utf-8',
    hasBom: false,
    lineEnding: 'lf',
    lines: [
      { number: 9, text: 'nine' },
      { number: 10, text: 'ten', isCut: true },
    ],
    totalLines: 30,
    nextOffset: 11,
    notes: [],
    ...more,
  }) as FilePage;

const change: FileChange = {
  path: 'a.txt',
  isNew: false,
  bytes: 5,
  replacements: 2,
  addedLines: 1,
  removedLines: 1,
  encoding: 'utf-8',
  hasBom: false,
  lineEnding: 'lf',
  diff: '--- a/a.txt\n+++ b/a.txt',
  notes: ['A note.'],
};

describe.each([readTool, writeTool, editTool])('$name', (tool) => {
  it('has a card with a description for every field, and no null', () => {
    expect(cardOf(tool)).toMatchObject({ needs: ['files'], tier: 1 });
  });
});

describe('Read', () => {
  it('shows lines like cat -n, with equivalent text', async () => {
    const result = await call(readTool, { file_path: 'a.txt', offset: 9 }, { read: async () => page() });
    expect(result).toEqual({
      data: {
        file_path: 'a.txt',
        kind: 'text',
        content: '     9\tnine\n    10\tten… [cut]',
        bytes: 20,
        truncated: true,
        start_line: 9,
        end_line: 10,
        total_lines: 30,
        next_offset: 11,
        encoding: 'utf-8',
        bom: false,
        line_ending: 'lf',
      },
      text: [
        '     9\tnine',
        '    10\tten… [cut]',
        '[a.txt: lines 9 to 10 of 30, 20 bytes, utf-8, line endings lf. Continue with offset=11.]',
      ].join('\n'),
    });
  });

  it('shows images, and describes binary files', async () => {
    const image = {
      kind: 'image',
      path: 'p',
      bytes: 3,
      mediaType: 'image/png',
      width: 2,
      height: 1,
      data: 'AAAA',
    } as const;
    const words = expect.stringMatching(
      /^p is an image: image\/png, 2 x 1 pixels, 3 bytes\. The image is attached to this result\. /,
    );
    expect(await call(readTool, { file_path: 'p' }, { read: async () => image })).toMatchObject({
      text: words,
      content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      // A client that passes on only this still describes the file to its model.
      data: { kind: 'image', content: words, media_type: 'image/png', width: 2, height: 1, bytes: 3 },
    });
    const binary = {
      kind: 'binary',
      path: 'b',
      bytes: 3,
      mediaType: 'application/pdf',
      firstBytes: '255044',
    } as const;
    expect(await call(readTool, { file_path: 'b' }, { read: async () => binary })).toMatchObject({
      text: 'b is not a text file: application/pdf, 3 bytes. It starts with 255044 (hex).',
      data: { kind: 'binary', truncated: true },
    });
  });

  it('escapes control characters of a file name in the text', async () => {
    const result = await call(
      readTool,
      { file_path: 'x' },
      { read: async () => page({ path: 'a\u001b[2J\n.txt' }) },
    );
    expect(result).toMatchObject({ text: expect.stringContaining('[a\\u{1b}[2J\\u{a}.txt:') });
  });
});

describe('Write and Edit', () => {
  it('report the change as data and as equivalent text', async () => {
    const result = await call(writeTool, { file_path: 'a.txt', content: 'x' }, { write: async () => change });
    expect(result).toEqual({
      data: {
        file_path: 'a.txt',
        created: false,
        bytes: 5,
        replacements: 2,
        added_lines: 1,
        removed_lines: 1,
        encoding: 'utf-8',
        line_ending: 'lf',
        diff: change.diff,
        notes: ['A note.'],
      },
      text: `Changed in 2 places: a.txt (+1 -1 lines, 5 bytes, utf-8, line endings lf).\nA note.\n${change.diff}`,
    });
  });

  it('pass on one edit, or several in order', async () => {
    const asked: unknown[] = [];
    const edit: Files['edit'] = async (path, edits) => {
      asked.push([path, edits]);
      return change;
    };
    await call(editTool, { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true }, { edit });
    await call(editTool, { file_path: 'a', edits: [{ old_string: '1', new_string: '2' }] }, { edit });
    await call(editTool, { file_path: 'a', old_string: 'gone' }, { edit });
    expect(asked).toEqual([
      ['a', [{ oldText: 'x', newText: 'y', replaceAll: true }]],
      ['a', [{ oldText: '1', newText: '2', replaceAll: false }]],
      ['a', [{ oldText: 'gone', newText: '', replaceAll: false }]],
    ]);
    await expect(call(editTool, { file_path: 'a' }, { edit })).rejects.toMatchObject({
      facts: { reason: 'no_edits' },
    });
  });
});
