import { policyCheck } from '../domains/knowledge/explain-visibility.ts'
import { type ExplainedPassage, explainedSearch, type Passage } from '../domains/knowledge/search.ts'
import type { Decision } from '../shared/decision.ts'
import type { Application, User } from '../shared/principal.ts'
import { type Viewer, viewerOf } from '../shared/viewer.ts'
import type { Governed } from './govern.ts'
import { governHit, type HitSearch, type SearchDeps } from './govern-hits.ts'
import { PASSAGES } from './hit-kinds.ts'
import { EMPTY_REQUEST } from './request.ts'
import { admittedOf, settle } from './simulate.ts'
import { type Authorized, NOT_INVOKED, noHits, type RequestContext } from './stage-results.ts'
import { classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { planRetrieval, retrieve } from './stages/06-retrieve.ts'
import { inspect } from './stages/10-inspect.ts'

interface AskedSearch {
  readonly application: Application
  readonly user: User
  readonly query: string
  readonly limit: number
}

interface SearchExplanation {
  readonly viewer: Viewer
  /** Rules of the policies that withhold every hit of this query. */
  readonly withheldBy: readonly string[]
  /** The passages that the search returns, best first. */
  readonly visible: readonly ExplainedPassage[]
  /** Matching passages that it does not return, with the check that fails. */
  readonly hidden: readonly ExplainedPassage[]
}

/** Runs the stages of a knowledge search as a request of the user does, and explains what it leaves out. Nothing is recorded or charged. */
export async function explainSearch(
  { application, user, query, limit }: AskedSearch,
  deps: AuthorizeDeps & SearchDeps,
): Promise<SearchExplanation> {
  const request = { ...EMPTY_REQUEST, messages: [{ role: 'user', content: query }], limit }
  const context: RequestContext = {
    incoming: { endpoint: 'knowledge_search', clientSignal: () => new AbortController().signal },
    caller: { application, keyId: '' },
    admitted: admittedOf(request),
    identity: { user, sessionId: '' },
  }
  const viewer = viewerOf({ application }, context.identity)
  const classified = settle(await classify(context.caller, context.admitted, deps))
  const authorized = classified.value && settle(await authorize(context, classified.value, deps))
  const allowed = authorized?.value
  const search = allowed && planRetrieval(context, allowed, deps)
  const visible = search ? await passagesOf(context, allowed, deps) : []
  const matches = await explainedSearch(deps, viewer, {
    text: query,
    collections: application.settings.knowledge.collections,
    limit,
  })
  const left = matches.visible.filter(({ id }) => !visible.some((passage) => passage.id === id))
  const withheldBy = allowed?.withheld ? restricting(allowed.decision) : []
  const denied = search ? await explainDenied(left, search, deps) : left.map((passage) => withPolicies(passage, withheldBy))
  const checksOf = ({ id }: Passage) => matches.visible.find((match) => match.id === id)?.checks ?? []
  return {
    viewer,
    withheldBy,
    visible: visible.map((passage) => withPolicies({ ...passage, checks: checksOf(passage) }, [])),
    hidden: [...denied, ...matches.hidden],
  }
}

/** The passages of the response. */
async function passagesOf(context: RequestContext, authorized: Authorized, deps: SearchDeps): Promise<readonly Passage[]> {
  const retrieved = settle(await retrieve(context, authorized, deps)).value ?? noHits(authorized.decision)
  const outputs = { retrieved, recalled: noHits(retrieved.decision), invoked: NOT_INVOKED }
  return settle(await inspect(context, authorized, outputs, deps)).value?.passages ?? []
}

/** Of passages that labels permit those that the policies leave out. */
async function explainDenied(
  passages: readonly ExplainedPassage[],
  search: HitSearch,
  deps: SearchDeps,
): Promise<readonly ExplainedPassage[]> {
  const explained: ExplainedPassage[] = []
  for (const passage of passages) {
    await search.pause()
    const atRetrieve = await governHit(passage, search, PASSAGES, deps)
    const atOutput = atRetrieve.value && (await governHit(atRetrieve.value, search, OUTPUT, deps))
    const rules = [...leftOutBy(atRetrieve), ...(atOutput ? leftOutBy(atOutput) : [])]
    if (rules.length > 0) explained.push(withPolicies(passage, rules))
  }
  return explained
}

const withPolicies = (passage: ExplainedPassage, rules: readonly string[]): ExplainedPassage => ({
  ...passage,
  checks: [...passage.checks, policyCheck(rules)],
})

const OUTPUT = { ...PASSAGES, point: 'output', subject: () => ({}) } as const

const leftOutBy = ({ decision, value, failed }: Governed<Passage>): readonly string[] =>
  value === undefined ? [...new Set([...failed, ...restricting(decision)])] : []

const restricting = ({ rules }: Decision): readonly string[] =>
  rules.flatMap(({ id, verdict }) => (verdict === 'deny' || verdict === 'require_approval' ? [id] : []))
