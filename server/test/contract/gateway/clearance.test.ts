import { describe, expect, test } from 'vitest'
import { expectSuccess } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { as, CLASSIFICATIONS, SOURCES, tokenOf } from './retrieval-client.ts'

const roles = (role_clearance: object) => ({ settings: { role_clearance } })
const asserted = (assertion_clearance: string) => ({ settings: { assertion_clearance } })
const ASSERTION = as('carol', { role: 'compliance_officer', attributes: { clearance: 'restricted' } })

describe.each(SOURCES)('$source: clearance [GW-KNOW-8, GW-MEMS-6]', ({ source, create }) => {
  test.each<[string, string, Readonly<Record<string, unknown>>, number]>([
    ['verified, by the attribute clearance: alice', 'alice', {}, 2],
    ['verified, by the attribute clearance: bob', 'bob', {}, 3],
    ['verified, by the attribute clearance: carol', 'carol', {}, 4],
    ['verified, by the clearance that the Application grants the role', 'dave', roles({ guest: 'confidential' }), 3],
    ["verified, without attribute and role: the Application's assertion_clearance", 'dave', asserted('public'), 1],
    ['verified: the attribute comes before the role', 'alice', roles({ support_agent: 'restricted' }), 2],
    ['unverified: internal by default', '', {}, 2],
    ["unverified: the Application's assertion_clearance, if lower", '', asserted('public'), 1],
    ["unverified: the Application's assertion_clearance, if higher", '', asserted('confidential'), 3],
    ['unverified: no role is mapped', '', roles({ compliance_officer: 'restricted' }), 2],
    ["verified, above the Application's maximum: public", 'carol', { ceiling: 'public' }, 1],
    ["verified, above the Application's maximum: internal", 'carol', { ceiling: 'internal' }, 2],
    ["verified, above the Application's maximum: confidential", 'carol', { ceiling: 'confidential' }, 3],
  ])('%s', async (_, name, application, count) => {
    const { token, store } = await create({}, application)
    const query = word()
    for (const classification of CLASSIFICATIONS) await store(`${query} ${classification}`, { classification })
    const options = name ? { token, userToken: tokenOf(name) } : { token }
    const response = await governed.post(`/v1/${source}/search`, { query, ...(!name && ASSERTION) }, options)
    const seen = expectSuccess(response).data.map(({ classification }) => classification)
    expect(seen.toSorted()).toEqual(CLASSIFICATIONS.slice(0, count).toSorted())
  })
})
