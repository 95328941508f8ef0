import { expect, test } from 'vitest'
import { collectTexts } from '../../src/shared/message.ts'
import { MAXIMAL_REQUESTS } from '../support/maximal/requests.ts'
import { withValueEverywhere } from '../support/mutations.ts'
import { API_OF_PATH, decode, encode, UPSTREAMS } from './codecs/forward.ts'

const CHATS = MAXIMAL_REQUESTS.filter(({ path }) => path in API_OF_PATH)
const PROVIDERS = Object.entries(UPSTREAMS)
/** Names with other meanings in paths, prototypes and JSON. */
const PLACE = 'the-place'
/** The bytes of a picture count as unread content. */
const PICTURE = /source\.data$/
const MARKERS = [
  ...['marker', 'x.marker', 'governance.marker', 'a[0].marker', 'to marker', '"marker\\', 'toString.marker', '4111marker'],
  ...['märker/marker'],
]

test.each(
  CHATS.flatMap(({ api, path, model, body }) =>
    (['name', 'carry'] as const).map((unknown) => ({ api, path, model, body, unknown })),
  ),
)(
  'names: each text of $api ($model) that any provider gets is one that detectors read when unknown_fields is $unknown',
  ({ path, body, unknown }) => {
    const unread: string[] = []
    for (const [index, { at, value }] of withValueEverywhere(body, PLACE).entries()) {
      const marker = MARKERS[index % MARKERS.length] ?? PLACE
      const json = JSON.stringify(value).replaceAll(PLACE, JSON.stringify(marker).slice(1, -1))
      const decoded = decode(API_OF_PATH[path] ?? 'openai-chat', json, unknown)
      if (!decoded.ok) continue
      const { messages, parameters } = decoded.request
      const isRead = [...collectTexts(messages), ...collectTexts(parameters)].some((text) => text.includes('marker'))
      for (const [name, upstream] of PROVIDERS) {
        const encoded = isRead ? undefined : encode(upstream, decoded.request)
        if (encoded?.ok && encoded.body.includes('marker') && !PICTURE.test(at)) unread.push(`${name} ${marker} ${at}`)
      }
    }
    expect(unread).toEqual([])
  },
)
