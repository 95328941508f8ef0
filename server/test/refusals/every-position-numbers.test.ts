import { describe, expect, test } from 'vitest'
import { collectTexts } from '../../src/shared/message.ts'
import { UNKNOWN_FIELDS, type UnknownFields } from '../../src/shared/principal.ts'
import { API_OF_PATH, decode } from '../fuzz/codecs/forward.ts'
import { MAXIMAL_REQUESTS } from '../support/maximal/requests.ts'
import { withValueEverywhere } from '../support/mutations.ts'

/** Thousands of bodies, so they are parsed without a server; `numbers.test.ts` sends some of them. */
const REQUESTS = MAXIMAL_REQUESTS.filter(({ path }) => path in API_OF_PATH)
const SLOW_MS = 120_000

/** The number of a card: as a number of JavaScript, and with digits that these cannot hold. */
const WRITTEN = ['4111111111111111', '4111111111111111.0', '0e4111111111111111']
/** `JSON.stringify` writes the text of the number unchanged; the compiler's library does not have it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }

/** No provider gets these fields (GW-RESP-9). */
const NOT_SENT = /^client_metadata|\.logprobs\[/

/** Whether detectors read the number, or the body is 400. */
function isReadOrRefused(path: string, body: unknown, unknownFields: UnknownFields): boolean {
  const decoded = decode(API_OF_PATH[path] ?? 'openai-chat', JSON.stringify(body), unknownFields)
  if (!decoded.ok) return true
  const { messages, parameters } = decoded.request
  return [...collectTexts(messages), ...collectTexts(parameters)].some((text) => /(?<![\w.])4111111111111111(?![\w.])/.test(text))
}

describe.each(UNKNOWN_FIELDS)('unknown_fields: %s', (unknownFields) => {
  test.each(REQUESTS)('number: detectors read it at every place of $api for $model', { timeout: SLOW_MS }, ({ path, body }) => {
    const unread = WRITTEN.flatMap((written) =>
      withValueEverywhere(body, rawJSON(written))
        .filter(({ at, value }) => !NOT_SENT.test(at) && !isReadOrRefused(path, value, unknownFields))
        .map(({ at }) => `${at}: ${written}`),
    )
    expect(unread).toEqual([])
  })
})
