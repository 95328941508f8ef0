import { expect, test } from 'vitest'
import { csvCell } from './csv.ts'

test.each([
  ['plain text', 'plain text'],
  ['a "b", c', '"a ""b"", c"'],
  ['=1+1', "'=1+1"],
  [' \u00a0@SUM(A1)', "' \u00a0@SUM(A1)"],
  ['\n=1+1', '"\'\n=1+1"'],
  ['\tx', "'\tx"],
  ['-5', "'-5"],
  ['', ''],
])('CSV: %j is the cell %j, which no spreadsheet runs as a formula', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})
