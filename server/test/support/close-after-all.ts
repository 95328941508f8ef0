import { afterAll } from 'vitest'

/**
 * For the set-up of a test file or a `describe` block: `const server = await closeAfterAll(startServer())` closes the server after the
 * last test of the file or block. Bodies of all blocks run before the first test, also those of skipped blocks: what only the tests of one
 * block may see is changed in its `beforeAll`.
 */
export async function closeAfterAll<T extends { close(): unknown }>(starting: Promise<T>): Promise<T> {
  const started = await starting
  afterAll(async () => {
    await started.close()
  })
  return started
}
