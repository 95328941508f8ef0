import type { StreamFormat } from '../../../src/domains/providers/response-reader.ts'
import type { Random } from '../../support/classification/random.ts'
import { bedrockChunk } from '../../support/event-stream.ts'
import { streamTextOf } from '../../support/upstream-stream.ts'
import { jsonOf, MARK, type Mutator, mark, placesOf } from './mutations.ts'

/** Fields of events that add to a text. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'text', 'thinking', 'reasoning_content', 'reasoning', 'refusal'])
const LAST_EVENT = /"type":"(?:message_stop|response\.\w*(?:completed|incomplete|failed))"|^\[DONE\]$/

/** The data of a response's events. Each piece of a text has a mark. Undefined: the response has no streamed form. */
export function eventsOf(response: unknown): string[] | undefined {
  const data = streamTextOf(response)?.matchAll(/^data: (.*)$/gm)
  return data && Array.from(data, ([, text]) => withMarks(text ?? ''))
}

const withMarks = (data: string): string =>
  LAST_EVENT.test(data)
    ? data
    : JSON.stringify(
        JSON.parse(data, (name, value: unknown) => (TEXTS.has(name) && isText(value) ? `${value}${mark()} ` : value)),
      )

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Events that are left out, swapped, repeated or changed. */
export function mutateEvents(events: readonly string[], random: Random, mutator: Mutator): string[] {
  const mutated = [...events]
  for (let left = 1 + random.number(3); left > 0 && mutated.length > 1; left--) {
    const [at, other] = [random.number(mutated.length), random.number(mutated.length)]
    const [event = '', second = ''] = [mutated[at], mutated[other]]
    const how = random.number(5)
    if (how === 0) mutated.splice(at, 1)
    else if (how === 1) [mutated[at], mutated[other]] = [second, event]
    else if (how === 2) mutated.splice(other, 0, event)
    else if (how === 3) mutated.length = at + 1
    else if (event.startsWith('{')) mutated[at] = jsonOf(mutator.mutate(JSON.parse(event)))
  }
  return mutated
}

/** The bytes of a stream; sometimes one of them is another one, or the end is missing. */
export function bytesOf(
  events: readonly string[],
  format: StreamFormat,
  random: Random,
): { readonly bytes: Buffer; readonly isIntact: boolean } {
  const bytes =
    format === 'aws-event-stream'
      ? Buffer.concat(events.map((event) => bedrockChunk(JSON.parse(event))))
      : Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''))
  const how = random.number(12)
  if (how > 1 || bytes.length === 0) return { bytes, isIntact: true }
  if (how === 0) return { bytes: bytes.subarray(0, random.number(bytes.length)), isIntact: false }
  bytes.writeUInt8(random.number(256), random.number(bytes.length))
  return { bytes, isIntact: false }
}

/** The places of texts in an event. */
const TEXT_PATHS =
  /^(?:choices\[\]\.delta\.(?:content|reasoning_content|reasoning|refusal)|(?:delta|content_block)\.(?:text|thinking)|response\.output\[\]\.(?:content|summary)\[\]\.(?:text|refusal))$/

/** The marks of all texts up to the end of the stream: in the pieces, or in the last event of the Responses API, which holds all of them. */
export function marksIn(events: readonly string[]): readonly string[] {
  const end = events.findIndex((event) => LAST_EVENT.test(event))
  const read = end < 0 ? events : events.slice(0, end + 1)
  const last = read.at(-1) ?? ''
  const source = last.includes('"type":"response.') ? [last] : read
  const places = source.filter((event) => event.startsWith('{')).flatMap((event) => placesOf(JSON.parse(event)))
  return places.flatMap(({ path, value }) =>
    TEXT_PATHS.test(path) && typeof value === 'string' ? (value.match(MARK) ?? []) : [],
  )
}
