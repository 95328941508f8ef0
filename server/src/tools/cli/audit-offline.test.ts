import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { verifyExport } from '../../domains/audit/verify/export.ts'
import { auditVerifyExports } from './audit.ts'

const folder = temporaryFolder()

const HEADER = `${JSON.stringify({ object: 'audit_export', workspace_id: 'ws_a', through: 1, after: null })}\n`

function verify(name: string, bytes: Buffer): Promise<void> {
  const [file, publicKey] = [join(folder, name), join(folder, 'key.pem')]
  writeFileSync(file, bytes)
  writeFileSync(publicKey, 'a key')
  return auditVerifyExports({ out: () => {} } as never, [file], { publicKey })
}

test('audit verify-export: refuses a file that decompresses to far more than an export can', async () => {
  const bytes = gzipSync(HEADER + 'x'.repeat(40_000_000))
  expect(bytes.length).toBeLessThan(100_000)
  await expect(verify('crafted.jsonl.gz', bytes)).rejects.toThrow(
    /crafted.jsonl.gz: the file decompresses to more than 200 times its size/,
  )
})

test('audit verify-export: stops reading at the first fault, so that millions of crafted lines take no time', async () => {
  let taken = 0
  const lines = (function* () {
    yield HEADER
    for (; taken < 1_000; taken++) yield '{}'
  })()
  expect(await verifyExport(lines, 'a key')).toMatchObject({ ok: false, records: 0, firstFault: { sequence: 1 } })
  expect(taken).toBeLessThan(5)
})

test('audit verify-export: names the missing end of a short compressed export', async () => {
  await expect(verify('short.jsonl.gz', gzipSync(HEADER))).rejects.toThrow('the export was altered or incomplete')
})
