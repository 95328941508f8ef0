import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

function createFolder(removeAt: (remove: () => void) => void, source?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  removeAt(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  if (source !== undefined) cpSync(source, folder, { recursive: true })
  return folder
}

/** A new folder for the set-up of a test file or a `describe` block. It is removed after the last test, and after what was opened later is closed. */
export const temporaryFolder = (): string => createFolder(afterAll)

/** A new folder for one test or its `beforeEach`, with a copy of `source` if it is given. It is removed after the test and its `afterEach`. */
export const testFolder = (source?: string): string => createFolder(onTestFinished, source)
