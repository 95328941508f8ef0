import { describe, expect, inject, test } from 'vitest'
import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { Random } from '../support/classification/random.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { isDocumentedLoss } from './codecs/documented-losses.ts'
import { decode, encode, UPSTREAM_MODEL, UPSTREAMS } from './codecs/forward.ts'
import { jsonOf, MARK, MARKED_NUMBER, Mutator, type Place, placesOf, vocabularyOf } from './codecs/mutations.ts'
import { type Api, REQUEST_BODIES } from './codecs/request-bodies.ts'

// Mutations of real requests in each client API: no codec throws, and no value disappears without a refusal that names its field.

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123)
/** For each client API. */
const MUTATIONS = inject('isFull') ? 10_000 : 250
/** Milliseconds of processor time, for one body and all its providers. */
const SLOWEST_MS = 3_000

const VOCABULARY = vocabularyOf(Object.values(REQUEST_BODIES).flat())
const APIS = Object.keys(REQUEST_BODIES) as Api[]

/** Texts that an upstream body holds in another encoding: base64 text files, and call ids that the API does not accept. */
const decodedTexts = (body: string): string =>
  [
    ...Array.from(body.matchAll(/data:text\/plain[^,]*;base64,([\w+/=]*)/g), ([, text]) => Buffer.from(text ?? '', 'base64')),
    ...Array.from(body.matchAll(/hex-([\da-f]+)/g), ([, text]) => Buffer.from(text ?? '', 'hex')),
  ].join(' ')

const marksOf = ({ value }: Place): readonly string[] => {
  if (typeof value === 'string') return value.match(MARK) ?? []
  return typeof value === 'number' && MARKED_NUMBER.test(String(value)) ? [String(value)] : []
}

/** The client's body with the only changes that a provider of the same API may see (GW-FID-1). */
const editedInPlace = (api: Api, written: Fields): string => {
  const own = api === 'openai-chat' ? { governance: undefined, stream_options: undefined } : {}
  return JSON.stringify({
    ...written,
    governance: undefined,
    ...own,
    model: UPSTREAM_MODEL,
    messages: written.messages,
    stream: false,
  })
}

/** Sends a body to each provider API; returns the values that got lost. */
function lossesOf(api: Api, body: Fields, unknownFields: 'name' | 'carry'): readonly string[] {
  const decoded = decode(api, jsonOf(body), unknownFields)
  if (!decoded.ok) {
    expect(decoded.message).toMatch(/\w/)
    return []
  }
  const losses: string[] = []
  for (const [name, dialect] of Object.entries(UPSTREAMS)) {
    const encoded = encode(dialect, decoded.request)
    if (!encoded.ok) {
      expect(encoded.unsupported.param).toMatch(/\w/)
      continue
    }
    if (name === api && api !== 'openai-responses') {
      if (encoded.body !== editedInPlace(api, decoded.written)) losses.push(`${name}: not the client's bytes`)
      continue
    }
    const to = name === 'bedrock' ? 'anthropic-messages' : (name as Api)
    const text = encoded.body + decodedTexts(encoded.body)
    const lost = placesOf(body).filter(
      (place) => !isDocumentedLoss(api, to, place, body) && !marksOf(place).every((mark) => text.includes(mark)),
    )
    losses.push(...lost.map(({ path }) => `${name}: ${path}`))
  }
  return losses
}

describe.each(APIS)(`mutated requests of %s (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, (api) => {
  test('bodies: the originals reach a provider of each API that can express them', () => {
    for (const upstream of Object.values(UPSTREAMS)) {
      const sent = REQUEST_BODIES[api].filter((body) => {
        const decoded = decode(api, jsonOf(body), 'name')
        expect(decoded).toMatchObject({ ok: true })
        return decoded.ok && encode(upstream, decoded.request).ok
      })
      expect(sent.length).toBeGreaterThan(0)
    }
  })

  test(`codec: refuses or forwards every value when a body has ${MUTATIONS} mutations`, () => {
    const random = new Random(SEED)
    const mutator = new Mutator(random, VOCABULARY)
    let slowest = 0
    for (let run = 0; run < MUTATIONS; run++) {
      const body = mutator.mutate(random.pick(REQUEST_BODIES[api])) as Fields
      let losses: readonly string[] = []
      const unknownFields = random.number(4) === 0 ? 'carry' : 'name'
      slowest = Math.max(
        slowest,
        cpuMs(() => {
          losses = lossesOf(api, body, unknownFields)
        }),
      )
      expect(losses, `run ${run} of seed ${SEED}: ${jsonOf(body).slice(0, 5_000)}`).toEqual([])
    }
    expect(slowest).toBeLessThan(SLOWEST_MS)
  })

  test('codec: changes the upstream body or refuses when a flag or a word is another one', () => {
    const random = new Random(SEED)
    const lost = new Set<string>()
    for (let run = 0; run < MUTATIONS; run++) {
      const base = random.pick(REQUEST_BODIES[api])
      const body = structuredClone(base)
      const place = random.pick(placesOf(body).slice(1))
      const { parent, key, value, path } = place
      if (typeof value !== 'boolean' && typeof value !== 'string') continue
      const other = typeof value === 'boolean' ? !value : random.pick(VOCABULARY.words)
      if (other === value) continue
      Object.assign(parent as object, { [key]: other })
      const [before, after] = [decode(api, jsonOf(base), 'name'), decode(api, jsonOf(body), 'name')]
      if (!before.ok || !after.ok) continue
      for (const [name, upstream] of Object.entries(UPSTREAMS)) {
        const [sentBefore, sent] = [encode(upstream, before.request), encode(upstream, after.request)]
        const to = name === 'bedrock' ? 'anthropic-messages' : (name as Api)
        const isLost = sentBefore.ok && sent.ok && sentBefore.body === sent.body
        if (isLost && !isDocumentedLoss(api, to, place, body as Fields))
          lost.add(`${name}: ${path} ${String(value)} → ${String(other)}`)
      }
    }
    expect([...lost]).toEqual([])
  })
})
