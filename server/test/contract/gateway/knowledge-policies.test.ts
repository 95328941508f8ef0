import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createKnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { MAIL, recordOf } from './retrieval-client.ts'

describe('knowledge: a search under policies', () => {
  test('transforms: change the query before it is used [GW-POL-10]', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put(`Write to ${MAIL}`)
    expect(await own.hits(MAIL)).toHaveLength(1)
    expect(await own.hits(`${MAIL} juniper-redact`)).toEqual([])
  })
  test('redact: applies to titles', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put('spinel quince-redact', { title: `Letters to ${MAIL}` })
    expect(await own.hits('spinel')).toMatchObject([{ document_title: 'Letters to [EMAIL]' }])
  })
  test('rules: read every variable of `hit` [GW-POL-17]', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put('spinel quince-facts', { title: 'Facts', regulations: ['gdpr', 'hipaa'] })
    expect(expectSuccess(await own.search('spinel')).governance.decision.verdict).toBe('escalate')
    await own.put('beryl quince-facts', { title: 'Other', regulations: ['gdpr', 'hipaa'] })
    expect(expectSuccess(await own.search('beryl')).governance.decision.verdict).toBe('allow')
  })
  test('record: does not name document and collection, and other Applications get 404 [GW-AUD-1, GW-AUD-3]', async () => {
    const own = await createKnowledgeFixture(governed)
    const title = word()
    await own.put('jade', { title })
    const response = await own.search('jade')
    assertNoContent((await recordOf(own, response)) as never, [title, own.name])
    expectError(await governed.api('GET', `/v1/audit/${response.headers.get('x-audit-id')}`), 'NOT_FOUND')
  })
})
