import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { startLoopback } from '../support/loopback.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const GATEHOUSE = join(import.meta.dirname, '../../../scripts/gatehouse')
/** For each kill: whether it waits until a position is saved. Otherwise the batch may have arrived without it. */
const KILLS = [false, true]
const WAIT = { timeout: 90_000, interval: 5 }

interface Page {
  readonly data: readonly unknown[]
  readonly next: string
}

const folder = temporaryFolder()
const governed = await closeAfterAll(startGoverned())

const position = () => join(folder, 'position')

/** A follower in a process of its own, which reads the database of the running server. */
function startFollower(url: string) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, GATEHOUSE_DATA: governed.server.config.dataDir }
  const args = ['audit', 'follow', '--to', url, '--cursor', position()]
  const child = spawn(GATEHOUSE, args, { env, stdio: 'ignore' })
  const kill = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return { kill }
}

test('audit follow: every record arrives when the follower is killed again and again while it sends [GW-AUD-12]', async () => {
  const stored: number[] = []
  const receiver = await startLoopback((_request, response, body) => {
    for (const line of body.toString().trimEnd().split('\n')) stored.push(JSON.parse(line).integrity.sequence)
    response.writeHead(204).end()
  })
  const { url } = receiver
  let follower = startFollower(url)
  for (const isSaved of KILLS) {
    const before = stored.length
    for (let i = 0; i < 10; i++) expectSuccess(await governed.chat('Good morning'))
    await vi.waitFor(() => expect(stored.length).toBeGreaterThan(before), WAIT)
    if (isSaved) await vi.waitFor(() => expect(existsSync(position())).toBe(true), WAIT)
    await follower.kill()
    follower = startFollower(url)
  }
  const { data, next } = expectSuccess(await governed.admin('GET', '/audit/feed?limit=1000')) as unknown as Page
  // The last position is saved after all records have arrived.
  await vi.waitFor(() => expect(readFileSync(position(), 'utf8').trim()).toBe(next), WAIT)
  await follower.kill()
  await receiver.close()
  expect([...new Set(stored)]).toEqual(Array.from({ length: data.length }, (_, index) => index + 1))
}, 300_000)
