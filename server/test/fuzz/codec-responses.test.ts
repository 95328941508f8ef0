import { describe, expect, inject, test } from 'vitest'
import type { StreamFormat } from '../../src/domains/providers/response-reader.ts'
import { isObject } from '../../src/platform/lib/untrusted-json.ts'
import { Random } from '../support/classification/random.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { readJson, readStream, writtenFor } from './codecs/complete.ts'
import { UPSTREAMS } from './codecs/forward.ts'
import { jsonOf, MARK, Mutator, placesOf, vocabularyOf } from './codecs/mutations.ts'
import type { Api } from './codecs/request-bodies.ts'
import { RESPONSE_BODIES } from './codecs/response-bodies.ts'
import { bytesOf, eventsOf, marksIn, mutateEvents } from './codecs/streams.ts'

// Mutations of real responses of each provider API: no codec throws, and each text of an accepted response reaches the client.

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123)
/** For each provider API. */
const MUTATIONS = inject('isFull') ? 5_000 : 120
/** Milliseconds of processor time, for one response and all clients. */
const SLOWEST_MS = 3_000

const APIS = Object.keys(RESPONSE_BODIES) as Api[]
const VOCABULARY = vocabularyOf(Object.values(RESPONSE_BODIES).flat())

/** The places of texts and calls in a complete response. Citations and other fields of providers are not among them (GW-ANT-5). */
const TEXT_PATHS: Readonly<Record<Api, RegExp>> = {
  'openai-chat':
    /^choices\[\]\.message\.(?:content|refusal|reasoning|reasoning_content|tool_calls\[\]\.(?:id|function\.(?:name|arguments)|custom\.(?:name|input)))$/,
  'anthropic-messages': /^content\[\]\.(?:text|thinking|id|name|input\..*)$|^stop_details\.explanation$/,
  'openai-responses': /^output\[\]\.(?:call_id|name|arguments|input|(?:content|summary)\[\]\.(?:text|refusal))$/,
}

const marksOf = (api: Api, response: unknown): readonly string[] =>
  placesOf(response).flatMap(({ path, value }) =>
    TEXT_PATHS[api].test(path) && typeof value === 'string' ? (value.match(MARK) ?? []) : [],
  )

/** The marks that a client cannot find in its JSON or its stream. */
const lostMarks = (client: Api, completion: Parameters<typeof writtenFor>[1], marks: readonly string[]): readonly string[] =>
  writtenFor(client, completion).flatMap((text) => marks.filter((mark) => !text.includes(mark)))

/** Checks `run` in each run, and the slowest one. */
function repeat(check: (run: string) => void): void {
  let slowest = 0
  for (let run = 0; run < MUTATIONS; run++)
    slowest = Math.max(
      slowest,
      cpuMs(() => check(`run ${run} of seed ${SEED}`)),
    )
  expect(slowest).toBeLessThan(SLOWEST_MS)
}

describe.each(APIS)(`mutated responses of %s (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, (api) => {
  test('codec: each client gets each text when the response is complete', () => {
    for (const response of RESPONSE_BODIES[api]) {
      const completion = readJson(UPSTREAMS[api], response)
      const marks = marksOf(api, response)
      expect(marks.length).toBeGreaterThan(0)
      for (const client of APIS) expect(completion && lostMarks(client, completion, marks)).toEqual([])
    }
  })

  test(`codec: is malformed or each client gets each text when a complete response has ${MUTATIONS} mutations`, () => {
    const random = new Random(SEED)
    const mutator = new Mutator(random, VOCABULARY)
    repeat((run) => {
      const text = jsonOf(mutator.mutate(random.pick(RESPONSE_BODIES[api])))
      const response: unknown = JSON.parse(text)
      const completion = isObject(response) ? readJson(UPSTREAMS[api], response) : undefined
      if (!completion) return
      for (const client of APIS) {
        expect(lostMarks(client, completion, marksOf(api, response)), `${run}, ${client}: ${text.slice(0, 5_000)}`).toEqual([])
      }
    })
  })
})

const STREAMS = [
  ...APIS.map((api) => [api, api, 'server-sent-events'] as const),
  ['bedrock', 'anthropic-messages', 'aws-event-stream'] as const,
]

describe.each(STREAMS)(`mutated streams of %s (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, (name, api, format: StreamFormat) => {
  const upstream = UPSTREAMS[name]
  const streams = RESPONSE_BODIES[api].flatMap((response) => {
    const events = eventsOf(response)
    return events ? [events] : []
  })

  test(`codec: is malformed or has each text when a stream has ${MUTATIONS} mutations of its events and bytes`, () => {
    const random = new Random(SEED)
    const mutator = new Mutator(random, VOCABULARY)
    let accepted = 0
    repeat((run) => {
      const events = mutateEvents(random.pick(streams), random, mutator)
      const { bytes, isIntact } = bytesOf(events, format, random)
      const completion = readStream(upstream, format, bytes, random)
      if (!completion) return
      accepted++
      const json = JSON.stringify(completion)
      const marks = isIntact ? marksIn(events) : []
      expect(
        marks.filter((mark) => !json.includes(mark)),
        `${run}: ${events.join('\n').slice(0, 5_000)}`,
      ).toEqual([])
    })
    expect(accepted).toBeGreaterThan(MUTATIONS / 20)
  })
})
