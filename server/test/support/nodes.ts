import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { createOwnDatabase } from './own-database.ts'
import type { ServerProcess } from './server-process.ts'

type Cleanups = (() => unknown)[]

function cleanupsOf(hook: (end: () => Promise<void>) => void): Cleanups {
  const cleanups: Cleanups = []
  hook(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  return cleanups
}
/** Functions that a test adds. They run after it, the last one first. */
export const cleanupsAfterEach = (): Cleanups => cleanupsOf(afterEach)
/** Functions that run after all tests of a file or block, the last one first. */
export const cleanupsAfterAll = (): Cleanups => cleanupsOf(afterAll)

/** A database on the PostgreSQL at `url` and a data folder, and the variables with which server processes use them. */
export async function nodeEnvironment(url: string | null, cleanups: Cleanups) {
  const database = await createOwnDatabase(url ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nodes-'))
  cleanups.push(database.drop, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const env = {
    DATABASE_URL: database.url,
    GATEHOUSE_SECRET_KEY: 'x'.repeat(32),
    GATEHOUSE_DATA: folder,
    GATEHOUSE_DEMO: '1',
  }
  return { database, folder, env }
}

/** Raises the limits of the demo's Applications, so that tests may send without a pause. */
export async function openLimits({ demo, base }: Pick<ServerProcess, 'demo' | 'base'>): Promise<void> {
  const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
  const admin = adminClient({ base, demo: demo() })
  for (const { id } of demo().applications) await admin.patch(`/applications/${id}`, { limits })
}

/** Sends a chat with a key. `more`: further fields of the body. */
export const postChat = (
  base: string | undefined,
  key: string | undefined,
  content: string,
  more: object = {},
  init: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> =>
  fetch(`${base}/v1/chat/completions`, {
    ...init,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content }], ...more }),
  })
