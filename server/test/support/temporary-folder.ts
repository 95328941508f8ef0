import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new folder for the set-up of a test file or a `describe` block. It is removed after the last test, and after what was opened later is closed. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
