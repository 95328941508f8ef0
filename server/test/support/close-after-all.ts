import { afterAll, onTestFinished } from 'vitest'

type Closable = { close(): unknown }

async function closeAt<T extends Closable>(register: (end: () => Promise<void>) => void, starting: T | Promise<T>): Promise<T> {
  const started = await starting
  register(async () => {
    await started.close()
  })
  return started
}

/**
 * For the set-up of a test file or a `describe` block: `const server = await closeAfterAll(startServer())` closes the server after the
 * last test of the file or block. Bodies of all blocks run before the first test, also those of skipped blocks: what only the tests of one
 * block may see is changed in its `beforeAll`.
 */
export const closeAfterAll = <T extends Closable>(starting: Promise<T>): Promise<T> => closeAt(afterAll, starting)

/** For one test: closes at its end, also when it fails, what was opened last first. */
export const closeAfterTest = <T extends Closable>(starting: T | Promise<T>): Promise<T> => closeAt(onTestFinished, starting)
