import { describe, expect, it } from 'vitest';
import { headerValue } from './header-value.js';

describe('header values', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['with space', 'with space'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ])('encode %j as %s', (value, expected) => {
    expect(headerValue(value)).toBe(expected);
  });
});
