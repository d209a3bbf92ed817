import { describe, expect, it } from 'vitest';
import { deceptiveName, skeletonOf } from './deceptive-names.js';

describe('names', () => {
  it.each([
    ['read_file'],
    ['größe'],
    ['получить_данные'],
    ['get_данные'],
    ['読む'],
    ['búsqueda'],
    ['yazıcı'],
    ['Ελληνικά_2'],
    ['ファイル・一覧'],
    ['पढ़ें'],
    ['می\u200cخواهم'],
    ['go 🚀'],
  ])('%s can be used', (name) => {
    expect(deceptiveName(name)).toBeUndefined();
  });

  it.each([
    ['R\u0435ad'],
    ['Ｒead'],
    ['rea\u200bd'],
    ['a\u0007'],
    ['dаta_ж'],
    ['\u202eread'],
    ['ꓣead'],
    ['Ɍead'],
    ['Read\u0332'],
    ['Read '],
    [' Read'],
    ['Gl〇b'],
    ['G∣ob'],
    ['ꓡꓲꓢꓔ'],
  ])('%j cannot', (name) => {
    expect(deceptiveName(name)).toBeDefined();
  });

  it('that look alike have the same skeleton', () => {
    expect(new Set(['Glob', 'GIob', 'G1ob', 'Gl\u043eb'].map(skeletonOf)).size).toBe(1);
    expect(new Set(['Edit', 'Eḍit', 'Édit', 'Edıt'].map(skeletonOf)).size).toBe(1);
    expect(skeletonOf('мой')).not.toBe(skeletonOf('мои'));
    expect(skeletonOf('Glob')).not.toBe(skeletonOf('Grob'));
  });
});
