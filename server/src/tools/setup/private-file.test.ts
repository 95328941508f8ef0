import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { writePrivateFile } from './private-file.ts'

test('private file: writers at the same time all succeed, and leave one complete file', async () => {
  const folder = testFolder()
  const path = join(folder, 'demo.json')
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000))
  await Promise.all(texts.map((text) => writePrivateFile(path, text)))
  expect(texts).toContain(readFileSync(path, 'utf8'))
  expect(readdirSync(folder)).toEqual(['demo.json'])
})
