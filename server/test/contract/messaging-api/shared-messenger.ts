import { afterAll, beforeAll } from 'vitest'
import { adjustableClock } from '../../support/adjustable-clock.ts'
import { type Messenger, startMessenger } from '../../support/messenger.ts'

/** The one server of messaging-api.test.ts, as shared-server.ts is that of the gateway. */
export let messenger: Messenger

/** The server's time. */
export const clock = adjustableClock()

beforeAll(async () => {
  messenger = await startMessenger({}, { clock })
})
afterAll(() => messenger.close())

/** Both forms of a body: every row of the document holds for each. */
export const FORMS = ['json', 'form'] as const

/** An id that nothing has. */
export const unknown = (prefix: string): string => `${prefix}_01h455vb4pex5vsknk084sn02q`
