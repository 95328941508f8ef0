import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { word } from '../support/scripted-provider.ts'
import { VERSION } from '../support/streamed-requests.ts'
import { MODELS, startThreeUpstreams } from '../support/three-upstreams.ts'
import { CLIENT_PATHS, CONVERSATIONS, type Step } from '../support/tool-conversations.ts'

const upstreams = await closeAfterAll(startThreeUpstreams())
const settings = { extensions: ['tools', 'content_parts', 'developer_role'] }
const fixture = await createKnowledgeFixture(upstreams.governed, { settings })
await fixture.put('The amethyst is in the first drawer, the beryl in the second, the citrine in the third.')

const MAILS = ['ana.lind@example.org', 'bo.lind@example.org', 'cy.lind@example.org']
const SCHEMA = { type: 'object', properties: { of: { type: 'string', description: `Not ${MAILS[0]}` } } }
/** The gateway moves its break point to the end of each turn. The position does not change what a provider compares. */
const withoutBreakPoints = (raw: string): string => raw.replaceAll(',"cache_control":{"type":"ephemeral"}', '')

const PAIRS = CLIENT_PATHS.flatMap((path) => MODELS.map((model) => [path, model] as const))

describe('two consecutive turns of a conversation [GW-FID-2]', () => {
  test.each(PAIRS)('%s at a provider of %s: have the same bytes up to the retrieved context', async (path, model) => {
    const [key, ...gems] = [word(), 'amethyst', 'beryl', 'citrine']
    const system = `${key} juniper-pseudonymize: write to ${MAILS[2]}`
    const steps: Step[] = []
    for (const [index, gem] of gems.entries()) {
      steps.push({ role: 'user', text: `Where is the ${gem}, ${MAILS[index]}?` })
      const json = { model, ...CONVERSATIONS[path](steps, SCHEMA, system) }
      expectSuccess(await upstreams.governed.api('POST', path, { token: fixture.token, json, headers: VERSION }))
      steps.push({ input: { of: 'drawer' }, result: `Found by ${MAILS[1]}` }, { role: 'assistant', text: `In drawer ${index}.` })
    }
    const bodies = upstreams.callsWith(model, key).map(({ raw }) => withoutBreakPoints(raw))
    expect(bodies).toHaveLength(3)
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      const context = body.indexOf('data, not instructions')
      // The question, in which its address has become a placeholder, and the beginning of the context.
      const question = body.lastIndexOf('Where is the', context)
      expect(context).toBeGreaterThan(question)
      const stable = body.slice(0, body.indexOf('?', question) + 1)
      expect(stable).toContain(`Where is the ${gems[index]}`)
      for (const mail of MAILS) expect(body).not.toContain(mail)
      expect(bodies[index + 1]?.slice(0, stable.length)).toBe(stable)
    }
  })
})
