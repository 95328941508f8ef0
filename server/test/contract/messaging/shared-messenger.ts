import { adjustableClock } from '../../support/adjustable-clock.ts'
import { startMessagingServer } from '../../support/messenger.ts'

/** The server's time. */
export const clock = adjustableClock()

/** One server for all files of the messaging contract that a worker runs. */
export const messenger = await startMessagingServer({}, { clock })

/** Both formats of a body: every rule of the contract holds for each. */
export const FORMS = ['json', 'form'] as const

/** An id that no object has. */
export const unknown = (prefix: string): string => `${prefix}_01h455vb4pex5vsknk084sn02q`
