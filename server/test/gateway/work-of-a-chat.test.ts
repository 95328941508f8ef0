import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { adminOf, startOneNode } from '../support/one-node.ts'
import { completion, json } from '../support/scripted-provider.ts'

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

/** A tenth above the work of a chat when this was last changed. A change that needs more work says so in its commit. */
const MOST = { kilobytes: 263, promises: 114, timers: 9.1, controllers: 2.2, listeners: 3.3 }
const CHATS = 300
const HOOK = fileURLToPath(new URL('../support/count-work.mjs', import.meta.url))

type Work = Readonly<Record<'bytes' | Exclude<keyof typeof MOST, 'kilobytes'>, number>>

test('chat: a warm one allocates no more bytes and objects than before', async () => {
  const { server, provider } = await startOneNode(cleanups, { NODE_OPTIONS: `--import=${HOOK}` })
  const admin = adminOf(server)
  const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 100, tokens_per_minute: 1_000_000_000 }
  const { id } = await admin.create('/applications', { name: 'Plain', limits })
  const { key } = await admin.create(`/applications/${id}/keys`, { name: 'test' })
  provider.on('plain', (response) => json(response, 200, completion('A plain answer.')))
  const chats = async (): Promise<void> => {
    for (let count = 0; count < CHATS; count++) {
      const response = await fetch(`${server.base}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'A plain question.' }] }),
      })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
  }
  const work: Work[] = []
  /** The work since the last call. */
  const measure = async (): Promise<Work> => {
    const known = work.length
    server.own.child.kill('SIGUSR2')
    await vi.waitFor(() => {
      work.splice(
        0,
        work.length,
        ...[...server.output().matchAll(/^WORK (.*)$/gm)].map(([, line = '']) => JSON.parse(line) as Work),
      )
      expect(work.length).toBeGreaterThan(known)
    }, 20_000)
    return work.at(-1) as Work
  }
  /** The work of a chat. Background jobs work too: their share is measured without chats, and subtracted. */
  const measureChat = async (): Promise<Work> => {
    const from = performance.now()
    await chats()
    const busy = await measure()
    const idleFrom = performance.now()
    await sleep(2_000)
    const idle = await measure()
    const share = (idleFrom - from) / (performance.now() - idleFrom)
    const names = Object.keys(busy) as (keyof Work)[]
    return Object.fromEntries(names.map((name) => [name, (busy[name] - idle[name] * share) / CHATS])) as Work
  }
  await chats()
  await measure()
  const { bytes } = await measureChat()
  const objects = await measureChat()
  const measured = { ...objects, kilobytes: bytes / 1_000 }
  for (const name of Object.keys(MOST) as (keyof typeof MOST)[]) expect(measured[name], name).toBeLessThanOrEqual(MOST[name])
})
