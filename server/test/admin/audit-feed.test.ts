import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FeedPosition } from '../../src/domains/audit/feed/cursor.ts'
import { filePositions, follow, noPositions, openSink } from '../../src/domains/audit/feed/follow.ts'
import { readFeed } from '../../src/domains/audit/feed/read-feed.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const governed = await sharedGoverned()
const folder = temporaryFolder()

const chat = async () => expectSuccess(await governed.chat('Good morning, marmalade'))
await Promise.all(Array.from({ length: 12 }, () => chat()))
const workspaceId = () => governed.server.demo.workspace.id
interface Page {
  readonly data: readonly { readonly workspace_id: string; readonly integrity: { readonly sequence: number } }[]
  readonly next: string
  readonly has_more: boolean
}
const feed = async (query: Readonly<Record<string, string | number>>) => {
  const parameters = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))
  return expectSuccess(await governed.admin('GET', `/audit/feed?${parameters}`)) as unknown as Page
}
const sequencesOf = (records: Page['data']) => records.map(({ integrity }) => integrity.sequence)
const upTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1)

describe('GET /audit/feed', () => {
  test('feed: pages have every record once and in order, and the last cursor continues with new records [GW-AUD-12]', async () => {
    const read: number[] = []
    let after = ''
    for (let more = true; more; ) {
      const page = await feed({ workspace: workspaceId(), limit: 5, ...(after && { after }) })
      read.push(...sequencesOf(page.data))
      after = page.next
      more = page.has_more
    }
    expect(read).toEqual(upTo(read.length))
    expect(read.length).toBeGreaterThan(11)
    const waiting = feed({ workspace: workspaceId(), after, wait: 30 })
    await chat()
    expect(sequencesOf((await waiting).data)).toEqual([read.length + 1])
  })

  test('feed: OCSF has no content, and other Workspaces are there when none is named [GW-AUD-13]', async () => {
    const ocsf = await feed({ workspace: workspaceId(), format: 'ocsf', limit: 1_000 })
    expect(ocsf.data.at(-1)).toMatchObject({
      class_uid: 6003,
      metadata: { tenant_uid: workspaceId() },
      api: { operation: 'chat' },
    })
    expect(JSON.stringify(ocsf)).not.toContain('marmalade')
    // Other tests of this server may have written thousands of records.
    let isFound = false
    for (let after: string | undefined, hasMore = true; hasMore && !isFound; ) {
      const page = await feed({ limit: 1_000, ...(after !== undefined && { after }) })
      isFound = page.data.some((record) => record.workspace_id === workspaceId())
      ;({ next: after, has_more: hasMore } = page)
    }
    expect(isFound).toBe(true)
  })

  test('feed: 400 when the cursor is invalid, 404 when the Workspace does not exist', async () => {
    for (const [query, status] of [
      ['after=12', 400],
      ['format=xml', 400],
      ['workspace=none', 404],
    ] as const)
      expect((await governed.admin('GET', `/audit/feed?${query}`)).status).toBe(status)
  })
})

/** Sends all records of the Workspace once. */
function send(target: string, positions = noPositions, options: { limit?: number; token?: string } = {}) {
  const { limit = 4, token } = options
  const { db } = governed.server.context
  const sink = openSink(target, { token, out: () => {} })
  if (!sink) throw new Error(`not a target: ${target}`)
  const read = (after: FeedPosition) => readFeed(db, after, { limit, workspaceIds: [workspaceId()] })
  const { signal } = new AbortController()
  const work = { read, sink, positions, format: 'gatehouse', version: '1', isOnce: true, onProblem: () => {}, signal } as const
  return follow(work).finally(() => sink.close())
}

/** Repeats `send` until it succeeds, as a follower does that is started again. Returns the number of failures. */
async function sendUntilDone(target: string, positions: ReturnType<typeof filePositions>): Promise<number> {
  for (let failures = 0; ; failures++) {
    const isDone = await send(target, positions).then(
      () => true,
      () => false,
    )
    if (isDone) return failures
    if (failures > 50) throw new Error('the receiver never got the records')
  }
}

const idsOf = (text: string) => [...text.matchAll(/"integrity":\{[^}]*"sequence":(\d+)/g)].map(([, sequence]) => Number(sequence))
const lastSequence = async () => (await feed({ workspace: workspaceId(), limit: 1_000 })).data.length

describe('audit follow', () => {
  test('file: continues after the last record, also behind a line that a crash has cut off [GW-AUD-12]', async () => {
    const path = join(folder, 'records.ndjson')
    const positions = filePositions(join(folder, 'position'))
    const sent = await send(path, positions)
    writeFileSync(path, '{"cut', { flag: 'a' })
    await chat()
    expect(await send(path, positions)).toBe(1)
    expect(await send(path, positions)).toBe(0)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.filter((line) => line !== '{"cut').map((line) => JSON.parse(line).integrity.sequence)).toEqual(upTo(sent + 1))
  })

  test('position: is refused when it is not valid', async () => {
    writeFileSync(join(folder, 'broken'), 'x')
    await expect(filePositions(join(folder, 'broken')).load()).rejects.toThrow('is not valid')
  })

  test('HTTP: a batch that the receiver refuses is sent again, and the position is kept [GW-AUD-12]', async () => {
    const stored: number[] = []
    const authorizations = new Set<string | undefined>()
    let requests = 0
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      authorizations.add(request.headers.authorization)
      // Every second request fails.
      if (requests++ % 2 === 0) return void response.writeHead(503).end()
      stored.push(...idsOf(Buffer.concat(chunks).toString()))
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/ingest`
    const positions = filePositions(join(folder, 'http'))
    const failures = await sendUntilDone(url, positions)
    await chat()
    expect(failures).toBeGreaterThan(1)
    requests = 1
    await send(url, positions, { token: 'feed-token' })
    receiver.closeAllConnections()
    receiver.close()
    expect(stored).toEqual(upTo(await lastSequence()))
    expect(authorizations).toEqual(new Set([undefined, 'Bearer feed-token']))
  })
})
