import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ExportWriter } from './export-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-writer-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'nightly.gz')

test('ExportWriter: writes the file when a killed run has left its part behind, and another run writes to the same path', async () => {
  writeFileSync(`${path}.partial`, 'half')
  const [first, second] = [new ExportWriter(path), new ExportWriter(path)]
  await Promise.all([first.table('operator', ['id']), second.table('operator', ['id'])])
  await second.discard()
  await first.finish()
  expect(readdirSync(folder).toSorted()).toEqual(['nightly.gz', 'nightly.gz.partial'])
})
