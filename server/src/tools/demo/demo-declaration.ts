import { readFileSync } from 'node:fs'
import type { Jwks } from '../../domains/identity/jwks.ts'
import { ENVIRONMENT_PROVIDER_IDS } from '../../platform/config/environment-providers.ts'
import { DEMO_ISSUER } from '../../shared/demo-words.ts'
import { SHARED_SCOPES } from '../../shared/memory-words.ts'
import type { DeclaredApplication, DeclaredUser, DeclaredWorkspace } from '../setup/declaration.ts'

export const DEMO_NAME = 'demo'
export const DEMO_AUDIENCE = 'gatehouse'

export const KEY_NAMES = ['demo', 'demo, revoked'] as const
export const DEMO_TOKEN_NAME = 'demo'

const POLICY = new URL('../../../../examples/policies/demo.yaml', import.meta.url)

/** Models for both Applications. Each Application also has one that the other may not use, to show isolation. */
const SHARED_MODELS = ['demo-mini', ...ENVIRONMENT_PROVIDER_IDS.map((id) => `${id}/*`)]

const demoApplication = (name: string, ownModel: string): DeclaredApplication => ({
  fields: {
    name,
    models: [ownModel, ...SHARED_MODELS],
    default_model: 'demo-mini',
    settings: {
      knowledge: { enabled: true },
      memory: { enabled: true, capture: 'explicit', assertion_scopes: [...SHARED_SCOPES] },
    },
  },
  keys: [],
})

/** Invented prices in US dollars per million tokens, so that audit records show costs. */
const PRICES = { inputPrice: 0.15, outputPrice: 0.6 }

const user = (id: string, role: string, department: string, attributes: Record<string, unknown>): DeclaredUser => ({
  id,
  username: id,
  role,
  department,
  attributes,
})

const USERS: readonly DeclaredUser[] = [
  user('alice', 'support_agent', 'support', { clearance: 'internal', region: 'eu' }),
  user('bob', 'engineer', 'engineering', { clearance: 'confidential', projects: ['atlas'] }),
  user('carol', 'compliance_officer', 'compliance', { clearance: 'restricted' }),
  user('dave', 'guest', '', {}),
]

export const demoDeclaration = (jwks: Jwks): DeclaredWorkspace => ({
  name: DEMO_NAME,
  settings: { jwks, issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE },
  applications: [demoApplication('support', 'demo-support'), demoApplication('engineering', 'demo-code')],
  users: USERS,
  providers: [
    {
      id: 'demo',
      kind: 'stub',
      fields: { region: 'eu' },
      models: ['demo-mini', 'demo-support', 'demo-code'].map((id) => ({ id, ...PRICES })),
    },
  ],
  policy: readFileSync(POLICY, 'utf8'),
})
