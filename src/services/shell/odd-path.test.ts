import { expect, it } from 'vitest';
import { isOddPath, pathForDisk, shownPath, textOfName } from './odd-path.js';

it('[15.34] keeps names that are not UTF-8, byte for byte', () => {
  const name = Buffer.from([0x64, 0xff, 0xc3, 0xa4, 0x80]);
  const path = `/ä😀/${textOfName(name)}/x`;
  expect(isOddPath(path)).toBe(true);
  expect(pathForDisk(path)).toEqual(Buffer.concat([Buffer.from('/ä😀/'), name, Buffer.from('/x')]));
  expect(shownPath(path)).toBe('/ä😀/d\\xff\\xc3\\xa4\\x80/x');
  expect(pathForDisk('/ä😀/\uFFFD')).toBe('/ä😀/\uFFFD');
});
