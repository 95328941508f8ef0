import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { auditVerifyExports } from './audit-offline.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-offline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

const HEADER = `${JSON.stringify({ object: 'audit_export', workspace_id: 'ws_a', through: 1, after: null })}\n`

function verify(name: string, bytes: Buffer): Promise<void> {
  const [file, publicKey] = [join(folder, name), join(folder, 'key.pem')]
  writeFileSync(file, bytes)
  writeFileSync(publicKey, 'a key')
  return auditVerifyExports({ out: () => {} } as never, [file], { publicKey })
}

test.each([
  ['one long line', 'x'.repeat(40_000_000)],
  ['millions of lines', '{}\n'.repeat(13_000_000)],
])('audit verify-export: refuses a file that decompresses to far more than an export can, as %s', async (_, text) => {
  const bytes = gzipSync(HEADER + text)
  expect(bytes.length).toBeLessThan(100_000)
  await expect(verify('crafted.jsonl.gz', bytes)).rejects.toThrow(
    /crafted.jsonl.gz: it decompresses to more than 200 times its size/,
  )
})

test('audit verify-export: names the missing end of a short compressed export', async () => {
  await expect(verify('short.jsonl.gz', gzipSync(HEADER))).rejects.toThrow('the export was altered or incomplete')
})
