import type { Decision } from '../domain/decision.ts'
import { countFindings } from '../domain/finding.ts'
import { NOBODY } from '../domain/principal.ts'
import { collectDirectives } from '../policy/directives.ts'
import { Vault } from '../policy/vault.ts'
import type { Authorized, Content, Identity, Inspected, Recalled, Remembered, Reply, Retrieved, Route } from './facts.ts'

/** What stands in for a stage that an endpoint passes through. */
export const UNIDENTIFIED: Identity = { user: NOBODY, sessionId: '' }

export const UNREAD: Content = {
  texts: [],
  findings: [],
  messageTexts: 0,
  joined: '',
  unread: 0,
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
  requestHashes: () => ({ requestHash: Buffer.alloc(0) }),
  release: undefined,
  withheld: false,
  found: undefined,
}

export const NOWHERE: Route = { tokens: () => 0, candidates: [], models: [] }

export const NO_REPLY: Reply = { completion: undefined, provider: '', attempts: [] }

/** Nothing was looked for: the decision stands as it is. */
export const nothingRetrieved = ({ decision }: Authorized): Retrieved => ({ decision, ...NO_HITS })
export const nothingRecalled = (decision: Decision): Recalled => ({ decision, ...NO_HITS })

const NO_HITS = { hits: [], counts: UNREAD.counts, transforms: [] }

/** Nothing came back that could be inspected: the input's decision stands. */
export const uninspected = ({ decision }: Authorized): Inspected => ({
  decision,
  counts: UNREAD.counts,
  completion: undefined,
  passages: [],
  memories: [],
  transforms: [],
})

/** Nothing is kept of the exchange. */
export const nothingKept = ({ decision }: Inspected): Remembered => ({ drafts: [], decision, transforms: [], attempts: [] })
