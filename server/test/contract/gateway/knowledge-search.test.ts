import { describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway-client.ts'
import { createKnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { CLASSIFICATIONS, tokenOf } from './retrieval-client.ts'

describe('knowledge search', () => {
  test('KnowledgeHit: all fields, and where the passage is from [GW-KNOW-4]', async () => {
    const topic = word()
    const fixture = await createKnowledgeFixture(governed)
    await fixture.put(`# Old\n\nA description of ${topic}.`, {
      title: 'Sayings',
      source: 'https://wiki.example.org/sayings',
      regulations: ['hipaa', 'gdpr'],
    })
    expect(await fixture.hits(topic)).toEqual([
      {
        chunk_id: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
        document_title: 'Sayings',
        content: `A description of ${topic}.`,
        classification: 'internal',
        regulations: ['gdpr', 'hipaa'],
        similarity: expect.any(Number),
        document_id: expect.stringMatching(/^doc_[0-9a-z]{26}$/),
        collection: expect.any(String),
        source: 'https://wiki.example.org/sayings',
        headings: ['Old'],
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ])
  })
  test.each(CLASSIFICATIONS)(
    'KnowledgeHit: classification %s; regulations are an empty list when there are none [GW-KNOW-4]',
    async (classification) => {
      const labelled = await createKnowledgeFixture(governed, { collection: { classification } })
      await labelled.put('Sea trade of amber.')
      const hits = await labelled.hits('amber', {}, { userToken: tokenOf('carol') })
      expect(hits).toMatchObject([{ classification, regulations: [] }])
    },
  )
  test('400 VALIDATION_ERROR: from the next request on when knowledge is turned off', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put('Sea trade of amber.')
    expect(await own.hits('amber')).toHaveLength(1)
    await governed.change(own.id, { settings: { knowledge: { enabled: false } } })
    expectError(await own.search('amber'), 'VALIDATION_ERROR')
  })
})
