import type { ClientDialect } from '../../../src/dialects/client-dialect.ts'
import type { UpstreamDialect } from '../../../src/dialects/upstream-dialect.ts'
import { openReader, type StreamFormat } from '../../../src/domains/providers/response-reader.ts'
import type { Fields } from '../../../src/platform/lib/untrusted-json.ts'
import type { Completion } from '../../../src/shared/completion.ts'
import type { Random } from '../../support/classification/random.ts'
import { CLIENTS } from './forward.ts'
import { type Api, REQUEST_BODIES } from './request-bodies.ts'

const MAX_BYTES = 8 * 1_048_576
const DEFAULTS = { model: 'm', newId: () => 'chatcmpl-new', created: () => 1_700_000_000 }
const GOVERNANCE = { audit_id: 'aud_1' }

/** The completion in a complete response; undefined: the response is malformed. */
export const readJson = (dialect: UpstreamDialect, response: Fields): Completion | undefined => dialect.read(response, DEFAULTS)

/** The completion in the bytes of a stream, which come in chunks of all sizes; undefined: the stream is malformed or ends too early. */
export function readStream(
  dialect: UpstreamDialect,
  format: StreamFormat,
  bytes: Buffer,
  random: Random,
): Completion | undefined {
  const reader = openReader(format, dialect.collect(), MAX_BYTES)
  for (let at = 0; at < bytes.length; ) {
    const size = random.number(10) === 0 ? 1 : 1 + random.number(2_000)
    const effect = reader.write(bytes.subarray(at, at + size))
    if (effect === 'done') break
    if (effect !== 'idle' && effect !== 'progress') return undefined
    at += size
  }
  const response = reader.finish()
  return response && readJson(dialect, response)
}

/** A completion as each client reads it: as JSON and as a stream whose deltas are joined. */
export const writtenFor = (api: Api, completion: Completion): readonly string[] => {
  const decoded = (CLIENTS[api] as ClientDialect).decode(REQUEST_BODIES[api].at(-1))
  if (!decoded.ok) throw new Error(decoded.problem.message)
  const { encoder } = decoded
  const events = [...encoder.toEvents(completion, GOVERNANCE)].join('')
  return [encoder.toJson(completion, JSON.stringify(completion), GOVERNANCE), joinedTexts(events)]
}

/** The values of all deltas under the same name, joined, so that a text in pieces can be found. */
function joinedTexts(events: string): string {
  const joined = new Map<string, string>()
  for (const [, data] of events.matchAll(/^data: (\{.*)$/gm)) {
    JSON.parse(data ?? '', (name, value: unknown) => {
      if (typeof value === 'string') joined.set(name, (joined.get(name) ?? '') + value)
      return value
    })
  }
  return [...joined.values()].join('\n')
}
