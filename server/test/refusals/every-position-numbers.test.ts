import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAXIMAL_REQUESTS } from '../support/maximal/requests.ts'
import { withValueEverywhere } from '../support/mutations.ts'
import { startThreeProviders, type ThreeProviders } from '../support/three-providers.ts'

let fixture: ThreeProviders
const tokens: Record<string, string> = {}
beforeAll(async () => {
  fixture = await startThreeProviders()
  const { governed } = fixture
  await governed.publish([{ id: 'cards', at: ['input'], when: 'content.findings.pii > 0', verdict: 'deny' }])
  for (const unknown_fields of ['refuse', 'carry']) {
    const settings = { extensions: ['tools', 'content_parts', 'developer_role'], unknown_fields }
    tokens[unknown_fields] = (await governed.application({ settings })).token
  }
})
afterAll(() => fixture.close())

/** A test sends hundreds of requests. */
const SLOW_MS = 300_000

/** The number of a card: as a number of JavaScript, and with digits that these cannot hold. */
const WRITTEN = ['4111111111111111', '4111111111111111.0']

/** `JSON.stringify` writes the text of the number unchanged; the compiler's library does not have it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }

describe.each(MAXIMAL_REQUESTS)('$api to the model $model', ({ path, model, body }) => {
  // Only a provider of the client's own API gets unknown fields.
  const forms = `${path} ${model}` === '/v1/messages claude' ? ['refuse', 'carry'] : ['refuse']

  test.each(forms)('number: no place of a request hides it when unknown_fields is %s', { timeout: SLOW_MS }, async (unknown) => {
    const escaped: string[] = []
    const denied = new Set<string>()
    for (const written of WRITTEN) {
      for (const { at, value } of withValueEverywhere(body, rawJSON(written))) {
        fixture.takeReceived()
        const headers = { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
        const options = { token: tokens[unknown] ?? '', headers, raw: JSON.stringify(value) }
        const { status } = await fixture.governed.api('POST', path, options)
        const received = fixture.takeReceived().join('\n').replaceAll(/\D/g, '')
        if (status >= 500 || received.includes('411111111111111')) escaped.push(`${at}: ${written}: ${status}`)
        if (status === 403) denied.add(written)
      }
    }
    expect(escaped).toEqual([])
    expect([...denied]).toEqual(WRITTEN)
  })
})
