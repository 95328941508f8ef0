import { expect, test } from 'vitest'
import { queryOf, vectorOf } from './message-words.ts'

const CONVERSATION = '01890000-0000-7000-8000-000000000000'

test.each([
  ['INC-4711', "'inc':1 '4711':2"],
  ['report.final.pdf', "'report':1 'final':2 'pdf':3"],
  ['我家', "'我':1 '我家':1 '家':2"],
  ['Cafe\u0301', "'café':1"],
  ["It's Bob's", "'it':1 'bob':2"],
  ['INC4711 parseHTTP', "'inc4711':1 'inc':1 '4711':1 'parsehttp':2 'parse':2 'http':2"],
  ['a a b a', "'a':1,2,4 'b':3"],
  ['… !', ''],
])('vectorOf: the words of %j', (text, words) => {
  expect(vectorOf(CONVERSATION, text)).toBe(`'${CONVERSATION}' ${words}`.trim())
})

test.each([
  ['Alpha beta', "(('alpha') & ('beta'))"],
  ['alpha alpha', "(('alpha'))"],
  ['INC-4711', "(('inc' <1> '4711'))"],
  ['"of Zürich" x', "(('of' <1> 'zürich') & ('x'))"],
  ['a or b', "(('a')) | (('b'))"],
  ['Reisekosten 5', "(('reisekosten') & ('5')) | (('reisekosten' | ('reise' & 'kosten') | ('reis' & 'kosten')) & ('5'))"],
  ['für die Reisekosten', "(('für') & ('die') & ('reisekosten')) | (('reisekosten' | ('reise' & 'kosten')))"],
  ['the household', "(('the') & ('household'))"],
  ['-Reisekosten "Reisekosten"', "(!('reisekosten') & ('reisekosten'))"],
  ['or a or or b or', "(('a')) | (('b'))"],
  ['a -b -"c d"', "(('a') & !('b') & !('c' <1> 'd'))"],
  ['--force', "(('force'))"],
  ['上海东 北', "(('上海' <1> '海东') & ('北'))"],
  ['8443端口', "(('8443' <1> '端口'))"],
  ['端口8443', "(('端口' <2> '8443'))"],
  ['책', "(('책':*))"],
  ['"open', "(('open'))"],
])('queryOf: the query of %j', (q, query) => {
  expect(queryOf(q)).toBe(query)
})

test.each(['', '-', '-'.repeat(33), '|---|---|', '""', '-""', "' & | <-> :* !", 'or', '\0', '\ud800'])(
  'queryOf: no query when %j has no words',
  (q) => expect(queryOf(q)).toBeUndefined(),
)
