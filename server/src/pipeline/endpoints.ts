import type { Endpoint } from '../shared/principal.ts'

/** The twelve stages, in the order that every request takes (GW-PIPE-1). */
export const STAGES = [
  'authenticate',
  'admit',
  'identify',
  'classify',
  'authorize',
  'retrieve',
  'recall',
  'route',
  'invoke',
  'inspect',
  'remember',
  'record',
] as const
export type StageName = (typeof STAGES)[number]

interface EndpointPlan {
  readonly stages: ReadonlySet<StageName>
  readonly limited: boolean
  readonly feature?: 'knowledge' | 'memory'
  /**
   * Effect of a deny or require_approval of an input policy: `refuse` is 403 or a hold, `withhold` is 200 with the verdict and no hits
   * (searches declare no 403), `set_aside` is 403 for a deny and a memory for auditors only for require_approval (GW-MEMC-8), `deny` is
   * 403 for both (GW-EMB-7).
   */
  readonly onRefusal: 'refuse' | 'withhold' | 'set_aside' | 'deny'
}

const only = (...names: StageName[]): ReadonlySet<StageName> => new Set(names)

/** The stages of each endpoint (GW-PIPE-3 to GW-PIPE-8, GW-PIPE-14). */
export const ENDPOINT_PLANS: Readonly<Record<Endpoint, EndpointPlan>> = {
  chat: {
    stages: new Set(STAGES),
    limited: true,
    onRefusal: 'refuse',
  },
  embeddings: {
    stages: only('authenticate', 'admit', 'identify', 'classify', 'authorize', 'route', 'invoke', 'record'),
    limited: true,
    onRefusal: 'deny',
  },
  models: { stages: only('authenticate', 'admit', 'authorize', 'route', 'record'), limited: false, onRefusal: 'refuse' },
  knowledge_search: {
    stages: only('authenticate', 'admit', 'identify', 'classify', 'authorize', 'retrieve', 'inspect', 'record'),
    limited: true,
    feature: 'knowledge',
    onRefusal: 'withhold',
  },
  memory_search: {
    stages: only('authenticate', 'admit', 'identify', 'classify', 'authorize', 'recall', 'inspect', 'record'),
    limited: true,
    feature: 'memory',
    onRefusal: 'withhold',
  },
  memory_capture: {
    stages: only('authenticate', 'admit', 'identify', 'classify', 'authorize', 'remember', 'record'),
    limited: true,
    feature: 'memory',
    onRefusal: 'set_aside',
  },
  stored_responses: {
    stages: only('authenticate', 'admit', 'identify', 'authorize', 'record'),
    limited: true,
    onRefusal: 'refuse',
  },
  audit: { stages: only('authenticate', 'admit', 'authorize', 'record'), limited: false, onRefusal: 'refuse' },
}
