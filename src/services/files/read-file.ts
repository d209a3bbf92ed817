import type { ByteRange, FileFacts, FilePage, ImageFile, ReadWindow, TextPage } from '../../ports/files.js';
import { isParsable } from '../../lib/json-rpc.js';
import { readWhole, regularFile, withHandle } from './content.js';
import type { FileContext } from './file-service.js';
import { decode, detectEncoding, type EncodingFacts, isWide, toStored } from './encoding.js';
import { cancelled, fromSystem, notFound, tooLarge } from './failures.js';
import { imageSize } from './image-size.js';
import { knowledgeOf, maxHashed } from './known.js';
import { endsWithReturns, lineEndingOf } from './line-endings.js';
import { pathForCallers } from './names.js';
import { renderNotebook } from './notebook.js';
import { readPage } from './page.js';
import { separatorFor } from './separator.js';
import { natureOf } from './sniff.js';
import { type Source, sourceOf, sourceOfBytes } from './source.js';
import { walk } from './walk.js';

const headLength = 64 * 1024;
const usualLimit = 2_000;
/** Base64 adds a third, and agents accept images of up to 5 MiB of text. */
const maxImage = 3_932_160;
const maxNotebook = 16 * 1024 * 1024;
const tooLargeNotebook = 'This notebook is too large to show its cells, so it is shown as text.';
const maxBytes = 16 * 1024 * 1024;

export async function readFile(given: string, window: ReadWindow, context: FileContext): Promise<FilePage> {
  const place = await walk(given, context.ground);
  try {
    return await withHandle(regularFile(place.target, given), async (handle) => {
      const stats = await handle.stat({ bigint: true });
      const whole = await readWhole(handle, Number(stats.size), maxHashed);
      const source = whole ? sourceOfBytes(whole) : sourceOf(handle, Number(stats.size), window.signal);
      context.known.learn(context.session, place.path, knowledgeOf(stats, whole));
      return await pageOf({ source, path: place.path, window }, context);
    });
  } catch (error) {
    throw window.signal?.aborted ? cancelled() : fromSystem(error, given);
  } finally {
    await place.close();
  }
}

interface Found {
  readonly source: Source;
  readonly path: string;
  readonly window: ReadWindow;
}

interface Base {
  readonly path: string;
  readonly bytes: number;
}

async function pageOf({ source, path, window }: Found, { ground }: FileContext): Promise<FilePage> {
  const head = await headOf(source);
  const base = { path: pathForCallers(path, ground.roots.all), bytes: source.size };
  const nature = natureOf(head.bytes, isWide(head.encoding));
  if (nature.kind === 'image') return await imageOf(source, { ...base, ...nature, kind: 'image' });
  if (nature.kind === 'binary') {
    return { ...base, ...nature, kind: 'binary', firstBytes: head.bytes.toString('hex', 0, 64) };
  }
  const isNotebook = window.raw !== true && path.toLowerCase().endsWith('.ipynb');
  const rendered = isNotebook ? await notebookOf(source) : undefined;
  if (rendered === undefined || rendered === 'too large') {
    const page = await textOf(source, head, window);
    const notes = rendered === undefined ? page.notes : [tooLargeNotebook, ...page.notes];
    return { ...base, kind: 'text', ...page, notes };
  }
  const text = await textOf(rendered, await headOf(rendered), window);
  const note = 'These are the cells of a notebook; set raw to see the JSON that Edit works on.';
  return { ...base, kind: 'notebook', ...text, notes: [note, ...text.notes] };
}

interface Head extends EncodingFacts {
  readonly bytes: Buffer;
}

async function headOf(source: Source): Promise<Head> {
  // A copy, because the source reuses its buffer.
  const bytes = Buffer.from(await source.read(0, headLength));
  return { bytes, ...detectEncoding(bytes, bytes.length < headLength) };
}

async function textOf(
  source: Source,
  head: Head,
  window: ReadWindow,
): Promise<Omit<TextPage, keyof Base | 'kind'>> {
  const { encoding, markLength } = head;
  const { units } = toStored(head.bytes, head);
  const separator = separatorFor(encoding, endsWithReturns(units));
  const { offset = 1, limit = usualLimit } = window;
  const page = await readPage({ source, separator, start: markLength, encoding }, { offset, limit });
  // The head may end in the middle of a line ending.
  const lineEnding = lineEndingOf(head.bytes.length < headLength ? units : units.replace(/\r$/, ''));
  return { encoding, hasBom: markLength > 0, lineEnding, ...page };
}

async function imageOf(source: Source, image: ImageFile): Promise<ImageFile> {
  const size = imageSize(Buffer.from(await source.read(0, headLength)), image.mediaType);
  if (source.size > maxImage || source.size === 0) return { ...image, ...size };
  const data = (await source.read(0, source.size)).toString('base64');
  return { ...image, ...size, data };
}

/** Undefined if it is not a notebook. */
async function notebookOf(source: Source): Promise<Source | 'too large' | undefined> {
  if (source.size > maxNotebook) return 'too large';
  const bytes = await source.read(0, source.size);
  const { units, encoding } = toStored(bytes);
  const json = decode(units, encoding);
  // Before parsing: a file of 15 MB can hold five million cells, and parsing them blocks the gateway for
  // minutes.
  if (!isParsable(json)) return 'too large';
  const rendered = renderNotebook(json);
  return rendered === undefined ? undefined : sourceOfBytes(Buffer.from(rendered));
}

export async function readBytes(given: string, range: ByteRange, context: FileContext): Promise<Uint8Array> {
  const place = await walk(given, context.ground);
  try {
    return await withHandle(regularFile(place.target, given), async (handle) => {
      const size = (await handle.stat()).size;
      const { position = 0, length = Math.max(0, size - position) } = range;
      if (length > maxBytes) throw tooLarge(given, length, maxBytes);
      return await sourceOf(handle, size).read(position, length);
    });
  } catch (error) {
    throw fromSystem(error, given);
  } finally {
    await place.close();
  }
}

export async function statFile(given: string, { ground }: FileContext): Promise<FileFacts> {
  const { target, path, close } = await walk(given, ground);
  try {
    if (target === undefined) throw notFound(given);
    const { stats } = target;
    return {
      path: pathForCallers(path, ground.roots.all),
      kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
      bytes: Number(stats.size),
      modified: stats.mtime.toISOString(),
    };
  } finally {
    await close();
  }
}
