import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDraft } from '../../../../test/support/audit.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { newId } from '../../../platform/lib/id.ts'
import { keyedHasher } from '../record/hashes.ts'
import type { AuditDraft } from '../record/record.ts'
import { canonicalBody, GENESIS, parseRecord, prepareRecord, sealRecord, toAuditRecord } from './chain.ts'

const workspaceId = newId('ws')
const sealer = keyedHasher(Buffer.alloc(32, 1))
const draft = testDraft(workspaceId)

test('sealRecord: the body is the RFC 8785 form of any record without its own hash', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ unit: 'grapheme' }),
        fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
      ),
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      (features, role, sequence) => {
        const odd: AuditDraft = { ...draft, features, user: { ...draft.user, role } }
        const sealed = sealRecord(prepareRecord(workspaceId, odd), { sequence, hash: GENESIS.hash }, sealer)
        const place = { sequence: sequence + 1, prev_hash: '0'.repeat(64) }
        expect(sealed.body).toBe(canonicalJson({ ...odd, integrity: place }))
        expect(sealed.hash.toString('hex')).toBe(createHash('sha256').update(sealed.body).digest('hex'))
        expect(canonicalBody(toAuditRecord(sealed))).toBe(sealed.body)
        expect(parseRecord(sealed.body, sealed.hash)).toEqual(JSON.parse(JSON.stringify(toAuditRecord(sealed))))
      },
    ),
  )
})

test.each<[string, Partial<AuditDraft>]>([
  ['another Workspace', { workspace_id: newId('ws') }],
  ['an id of another kind', { id: newId('rev') }],
  ['an Application id that is none', { application_id: 'assistant' }],
  ['a time in another form', { created_at: '2026-01-02T03:04:05Z' }],
  ['a status that is no integer', { status: 200.5 }],
  ['a value that JSON cannot hold', { features: { count: 1n as unknown as number } }],
])('prepareRecord: throws for a draft with %s', (_, change) => {
  expect(() => prepareRecord(workspaceId, { ...draft, ...change })).toThrow(TypeError)
})
