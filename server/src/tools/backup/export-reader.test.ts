import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readExport } from './export-reader.ts'
import { ExportWriter } from './export-writer.ts'

const folder = temporaryFolder()
const path = join(folder, 'export.gz')
const PLACE = `00/00000000-0000-0000-0000-000000000000`

/** Reads the export to its end. Returns the number of bytes of its files. */
async function readAll(): Promise<number> {
  let bytes = 0
  for await (const part of readExport(path)) if (part.kind === 'chunk') bytes += part.bytes.length
  return bytes
}

test('readExport: reads an export of content that compresses best', async () => {
  const writer = new ExportWriter(path)
  const zeros = Buffer.alloc(2 ** 20)
  await writer.file(
    PLACE,
    (async function* () {
      for (let count = 0; count < 40; count++) yield zeros
    })(),
  )
  await writer.finish()
  expect(await readAll()).toBe(40 * 2 ** 20)
})

test('readExport: refuses a file that decompresses to far more than an export can', async () => {
  const line = `${JSON.stringify(Buffer.alloc(48 * 1_024).toString('base64'))}\n`
  writeFileSync(path, gzipSync(`${JSON.stringify({ file: PLACE })}\n${line.repeat(600)}`))
  await expect(readAll()).rejects.toThrow('the file decompresses to more than 256 times its size')
})

test('ExportWriter: writes the file when a killed run has left its part behind, and another run writes to the same path', async () => {
  const nightly = join(folder, 'nightly.gz')
  writeFileSync(`${nightly}.partial`, 'half')
  const [first, second] = [new ExportWriter(nightly), new ExportWriter(nightly)]
  await Promise.all([first.table('operator', ['id']), second.table('operator', ['id'])])
  await second.discard()
  await first.finish()
  expect(
    readdirSync(folder)
      .filter((name) => name.startsWith('nightly'))
      .toSorted(),
  ).toEqual(['nightly.gz', 'nightly.gz.partial'])
})
