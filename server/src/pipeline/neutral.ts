import { countFindings } from '../domain/finding.ts'
import { NOBODY } from '../domain/principal.ts'
import { collectDirectives } from '../policy/directives.ts'
import { Vault } from '../policy/vault.ts'
import type { Authorized, Content, Identity, Inspected, Remembered, Reply, Route } from './facts.ts'

/** What stands in for a stage that an endpoint passes through. */
export const UNIDENTIFIED: Identity = { user: NOBODY, sessionId: '' }

export const UNREAD: Content = {
  texts: [],
  findings: [],
  messageTexts: 0,
  counts: countFindings([]),
  classification: 'public',
  risk: 'low',
}

/** No policy was asked. */
export const NOTHING_DECIDED: Authorized = {
  decision: { verdict: 'allow', classification: 'public', risk: 'low', transforms: [], directives: [], rules: [] },
  policy: undefined,
  messages: [],
  parameters: {},
  transforms: [],
  vault: new Vault(),
  steering: collectDirectives([]),
  systemTexts: [],
  requestHash: () => Buffer.alloc(0),
  release: undefined,
  withheld: false,
  found: undefined,
}

export const NOWHERE: Route = { candidates: [], models: [] }

export const NO_REPLY: Reply = { completion: undefined, provider: '', attempts: [] }

export const NOTHING_KEPT: Remembered = { ids: [] }

/** Nothing came back that could be inspected: the input's decision stands. */
export const uninspected = ({ decision }: Authorized): Inspected => ({
  decision,
  counts: UNREAD.counts,
  completion: undefined,
  transforms: [],
})
