import type { Endpoint } from '../domain/principal.ts'

/** The twelve stages, in the order every exchange takes them (decisions.md §2.1). */
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
  /** Stages that work for this endpoint; the others are passed through and written down as skipped. */
  readonly works: ReadonlySet<StageName>
  /** Whether rate limits apply: gateway-api.md gives models and audit lookup no 429. */
  readonly limited: boolean
  /** The setting of the Application that opens it; undefined: always open. */
  readonly needs?: 'knowledge' | 'memory'
  /**
   * What a deny or require_approval of an input policy does: `refuse` answers 403 or holds, `withhold` answers 200 with no
   * hits and the verdict (searches declare no 403), `set_aside` answers a deny with 403 and keeps for auditors what a person
   * would have to approve (capture; decisions.md §2.4a).
   */
  readonly onRefusal: 'refuse' | 'withhold' | 'set_aside'
}

const works = (...names: StageName[]): ReadonlySet<StageName> => new Set(names)

/** Which stage works for which endpoint (decisions.md §2.1). */
export const ENDPOINT_PLANS: Readonly<Record<Endpoint, EndpointPlan>> = {
  chat: {
    works: new Set(STAGES),
    limited: true,
    onRefusal: 'refuse',
  },
  models: { works: works('authenticate', 'admit', 'authorize', 'route', 'record'), limited: false, onRefusal: 'refuse' },
  knowledge_search: {
    works: works('authenticate', 'admit', 'identify', 'classify', 'authorize', 'retrieve', 'inspect', 'record'),
    limited: true,
    needs: 'knowledge',
    onRefusal: 'withhold',
  },
  memory_search: {
    works: works('authenticate', 'admit', 'identify', 'classify', 'authorize', 'recall', 'inspect', 'record'),
    limited: true,
    needs: 'memory',
    onRefusal: 'withhold',
  },
  memory_capture: {
    works: works('authenticate', 'admit', 'identify', 'classify', 'authorize', 'remember', 'record'),
    limited: true,
    needs: 'memory',
    onRefusal: 'set_aside',
  },
  audit: { works: works('authenticate', 'admit', 'authorize', 'record'), limited: false, onRefusal: 'refuse' },
}
