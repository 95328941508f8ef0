import { describe, expect, test } from 'vitest'
import { createMemoryFixture, type MemoryRequestOptions } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { MAIL, MARA, NOOR, tokenOf } from './retrieval-client.ts'

describe('memory: owners and visibility [GW-MEMC-12, GW-MEMS-6]', () => {
  const mara = (more: object = {}): MemoryRequestOptions => ({ user: { id: 'mara', ...more }, session: 'morning' })
  test.each([
    ['user', undefined, [MARA, mara(), { ...MARA, session: 'evening' }], [NOOR, {}, { session: 'morning' }]],
    [
      'session',
      undefined,
      [mara()],
      [MARA, { ...MARA, session: 'evening' }, { ...NOOR, session: 'morning' }, { session: 'morning' }],
    ],
    ['application', undefined, [{}, MARA, NOOR], []],
    [
      'department',
      'hangar',
      [{ user: { id: 'noor', department: 'hangar' } }],
      [
        MARA,
        {},
        { user: { id: 'mara', department: 'Hangar' } },
        { user: { id: 'hangar' } },
        { user: { id: 'x', attributes: { projects: ['hangar'] } } },
      ],
    ],
    [
      'project',
      'apollo',
      [{ user: { id: 'noor', attributes: { projects: ['x', 'apollo'] } } }],
      [
        MARA,
        {},
        { user: { id: 'x', department: 'apollo' } },
        { user: { id: 'x', attributes: { projects: 'apollo' } } },
        { user: { id: 'x', attributes: { projects: [['apollo'], { id: 'apollo' }] } } },
      ],
    ],
    ['workspace', undefined, [{}, MARA, NOOR], []],
  ] as const)('scope %s', async (scope, scope_id, readers, others) => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    await memoryFixture.store(topic, { scope, scope_id }, mara())
    for (const asking of readers) expect(await memoryFixture.texts(topic, {}, asking), JSON.stringify(asking)).toEqual([topic])
    for (const asking of others) expect(await memoryFixture.texts(topic, {}, asking), JSON.stringify(asking)).toEqual([])
  })
  test.each([
    ['user', true],
    ['session', false],
    ['application', false],
    ['department', true],
    ['project', true],
    ['workspace', true],
  ])('scope %s: found from another Application: %j', async (scope, shared) => {
    const [first, second] = [await createMemoryFixture(governed), await createMemoryFixture(governed)]
    const topic = word()
    const asking = { user: { id: 'mara', department: 'hangar', attributes: { projects: ['hangar'] } }, session: 'morning' }
    await first.store(topic, { scope, scope_id: 'hangar' }, asking)
    expect(await first.texts(topic, {}, asking)).toEqual([topic])
    expect(await second.texts(topic, {}, asking)).toEqual(shared ? [topic] : [])
  })
  test('scope_id: names the owner for departments and projects only', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    await memoryFixture.store(topic, { scope: 'user', scope_id: 'noor' }, MARA)
    expect(await memoryFixture.texts(topic, {}, NOOR)).toEqual([])
    expect(await memoryFixture.texts(topic, {}, MARA)).toEqual([topic])
  })
  test('owners: distinguished by scope, not only by id', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    await memoryFixture.store(`${topic} of the user`, { scope: 'user' }, { user: { id: 'hangar' } })
    await memoryFixture.store(`${topic} of the department`, { scope: 'department', scope_id: 'hangar' }, MARA)
    await memoryFixture.store(`${topic} of the project`, { scope: 'project', scope_id: 'hangar' }, MARA)
    expect(await memoryFixture.texts(topic, {}, { user: { id: 'hangar' } })).toEqual([`${topic} of the user`])
    expect(await memoryFixture.texts(topic, {}, { user: { id: 'x', department: 'hangar' } })).toEqual([
      `${topic} of the department`,
    ])
  })
  test('findings: raise the classification; personal data is confidential', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    await memoryFixture.store(`${topic} ${MAIL}`, { classification: 'public' })
    expect(await memoryFixture.texts(topic)).toEqual([])
    expect(await memoryFixture.hits(topic, {}, { userToken: tokenOf('bob') })).toMatchObject([{ classification: 'confidential' }])
  })
})
