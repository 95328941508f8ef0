import { expect, test, vi } from 'vitest'
import { messenger } from './shared-messenger.ts'

test('heartbeat: at most 15 s apart [MSG-EVENT-4]', async () => {
  const idle = await messenger.listen(messenger.stan)
  await vi.waitFor(() => expect(idle.comments).toBeGreaterThan(0), { timeout: 40_000, interval: 100 })
  expect(await idle.contentType).toMatch(/^text\/event-stream/)
  idle.close()
})
