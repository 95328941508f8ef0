import { readFileSync } from 'node:fs'
import { ENVIRONMENT_PROVIDER_IDS } from '../config/environment-providers.ts'
import { SHARED_SCOPES } from '../domain/memory-words.ts'
import type { Jwks } from '../identity/jwks.ts'
import type { DeclaredApplication, DeclaredUser, DeclaredWorkspace } from '../setup/declaration.ts'

export const DEMO_NAME = 'demo'
/** `iss` of the demo's user tokens. No other Workspace has it: it marks the one that was seeded. */
export const DEMO_ISSUER = 'gatehouse-demo'
export const DEMO_AUDIENCE = 'gatehouse'

const POLICY = new URL('../../../examples/policies/demo.yaml', import.meta.url)

/** Open to both Applications; what else they may use is each one's own, so that isolation can be seen. */
const SHARED_MODELS = ['demo-mini', ...ENVIRONMENT_PROVIDER_IDS.map((id) => `${id}/*`)]

const application = (name: string, ownModel: string): DeclaredApplication => ({
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

/** In US dollars per million tokens, invented: so that the costs in records can be seen. */
const PRICES = { inputPrice: 0.15, outputPrice: 0.6 }

const USERS: readonly DeclaredUser[] = [
  {
    id: 'alice',
    username: 'alice',
    role: 'support_agent',
    department: 'support',
    attributes: { clearance: 'internal', region: 'eu' },
  },
  {
    id: 'bob',
    username: 'bob',
    role: 'engineer',
    department: 'engineering',
    attributes: { clearance: 'confidential', projects: ['atlas'] },
  },
  {
    id: 'carol',
    username: 'carol',
    role: 'compliance_officer',
    department: 'compliance',
    attributes: { clearance: 'restricted' },
  },
  { id: 'dave', username: 'dave', role: 'guest', department: '', attributes: {} },
]

/** What `npm start` seeds an empty database with. Keys and tokens are issued beside it (demo.ts). */
export const demoDeclaration = (jwks: Jwks): DeclaredWorkspace => ({
  name: DEMO_NAME,
  settings: { jwks, issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE },
  applications: [application('support', 'demo-support'), application('engineering', 'demo-code')],
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
