import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { EventStream } from './event-stream.ts'

test('event stream: a stop tells its position and a random time to connect again, and ends it [MSG-EVENT-5]', async () => {
  const reader = { workspaceId: 'ws_1', userId: 'ann', isAuthorized: async () => true }
  const server = createServer((_request, response) => new EventStream(response, reader, 17).endForStop())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const read = async () => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text()
  const texts = await Promise.all(Array.from({ length: 8 }, read))
  const times = texts.map((text) => Number(/^retry: (\d+)\nid: 17\n\n$/.exec(text)?.[1]))
  for (const time of times) expect(time >= 500 && time < 3_000, String(time)).toBe(true)
  expect(new Set(times).size).toBeGreaterThan(1)
})
