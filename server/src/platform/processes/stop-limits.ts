import type { Config } from '../config/config.ts'
import type { StopSignal } from './messages.ts'

/** Time for ended requests to write their audit records: the time limit of the audit writer, and a second more. */
export const RECORD_MS = 11_000
/** Time limit for closing the app and the context. The process exits after it. */
export const CLOSE_MS = 20_000
/** Time for a serving process to end itself before the primary process ends it. */
const MARGIN_MS = 5_000

/** Longest time from the signal to the end of a serving process. */
export const stopLimitMs = ({ delayMs, timeoutMs }: Config['drain'], signal: StopSignal): number =>
  (signal === 'SIGINT' ? 0 : delayMs) + timeoutMs + RECORD_MS + CLOSE_MS + MARGIN_MS
