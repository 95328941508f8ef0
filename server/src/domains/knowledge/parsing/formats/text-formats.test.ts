import { describe, expect, test } from 'vitest'
import { read } from '../../../../../test/support/documents/read.ts'
import { CSV, type FileCase, JSON_FILES, NOTEBOOKS } from '../../../../../test/support/documents/text-zoo.ts'

describe.each<[string, string, readonly FileCase[]]>([
  ['CSV', 'a.csv', CSV],
  ['JSON', 'a.json', JSON_FILES],
  ['a notebook', 'a.ipynb', NOTEBOOKS],
])('reads %s with', (_, file, cases) => {
  for (const [name, content, markdown, warnings = []] of cases) {
    test(name, async () => {
      expect(await read(content, file)).toMatchObject({ markdown, warnings })
    })
  }
})

test('a file of the type TSV has tabs, although its cells have more commas', async () => {
  expect((await read('a\tb\n1,2,3\t4,5,6\n', 'a.tsv')).markdown).toBe('| a | b |\n| --- | --- |\n| 1,2,3 | 4,5,6 |')
})

test('a notebook is detected by its fields', async () => {
  const [, content = ''] = NOTEBOOKS[0] ?? []
  expect(await read(content, 'a.json')).toMatchObject({ mediaType: 'application/x-ipynb+json', title: 'F' })
  expect(await read('{"nbformat": 4}', 'a.json')).toMatchObject({ mediaType: 'application/json' })
})
