import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { finishEvents } from './event-stream.ts'

/** A response to a client that reads at once. */
class FastResponse extends EventEmitter {
  readonly written: string[] = []
  readonly destroyed = false
  writableEnded = false

  write(text: string): boolean {
    this.written.push(text)
    process.nextTick(() => this.emit('drain'))
    return false
  }

  end(text: string): void {
    this.written.push(text)
    this.writableEnded = true
  }
}

const event = 'x'.repeat(65_536)

test('stream: lets other work run after each chunk when the client reads at once', async () => {
  const response = new FastResponse()
  let turns = 0
  let immediate = setImmediate(function count() {
    turns++
    immediate = setImmediate(count)
  })
  await finishEvents(
    response as unknown as ServerResponse,
    Array.from({ length: 20 }, () => event),
  )
  clearImmediate(immediate)
  expect(response.written.join('').length).toBe(20 * event.length)
  expect(turns).toBeGreaterThanOrEqual(19)
})

test('stream: writes nothing more when the response was ended after a chunk', async () => {
  const response = new FastResponse()
  const events = function* () {
    yield event
    setImmediate(() => response.end('the server stops'))
    yield event
    yield event
    yield event
  }
  await finishEvents(response as unknown as ServerResponse, events())
  expect(response.written.at(-1)).toBe('the server stops')
})
