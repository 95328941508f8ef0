import { expect, test } from 'vitest'
import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { readJson, writtenFor } from '../fuzz/codecs/complete.ts'
import { UPSTREAMS } from '../fuzz/codecs/forward.ts'
import { MARK, placesOf } from '../fuzz/codecs/mutations.ts'
import type { Api } from '../fuzz/codecs/request-bodies.ts'
import { FULL_RESPONSES } from './response-bodies.ts'
import { APIS } from './table.ts'

// Each text in a provider's response, on its way to a client of each API as JSON and as a stream.

/** A chat stream has a usage only if the client asks for it, and this one does not. */
const isLeftOut = (to: Api, form: number, path: string): boolean =>
  to === 'openai-chat' && form === 1 && path.startsWith('usage.')

/** The marks in a text, or the text itself if it is a signature around one. */
const marksIn = (value: string): readonly string[] =>
  value.match(MARK) ??
  Buffer.from(value, 'base64')
    .toString('latin1')
    .match(MARK)
    ?.map(() => value) ??
  []

/** The places of the texts that a client does not find in its JSON or its stream. */
function lostTexts(from: Api, to: Api, response: Fields): readonly string[] {
  const completion = readJson(UPSTREAMS[from], response)
  if (!completion) throw new Error(`The response of ${from} is malformed. Correct it in response-bodies.ts.`)
  return writtenFor(to, completion).flatMap((written, form) =>
    placesOf(response).flatMap(({ path, value }) => {
      const isLost = typeof value === 'string' && marksIn(value).some((text) => !written.includes(text))
      return isLost && !isLeftOut(to, form, path) ? [path] : []
    }),
  )
}

const PAIRS = APIS.flatMap((from) => APIS.map((to) => [from, to] as const))

test.each(PAIRS)('response of %s: each text reaches a client of %s, as JSON and as a stream [GW-FID-7]', (from, to) => {
  for (const response of FULL_RESPONSES[from]) expect(lostTexts(from, to, response)).toEqual([])
})
